#!/usr/bin/env node
/** Writes contracts/REPORT.md: what is proven, with which effort, and the figures that come out. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format } from 'prettier';
import { readArguments } from '../../tools/lib/arguments.mjs';
import { measureAddedGas } from '../test-node/added-gas.mjs';
import { requireFoundryTool } from './foundry.mjs';

const contractsRoot = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const VERSIONS = ['v06', 'v07', 'v08', 'v09'];

const { long } = readArguments(
  `Usage: node contracts/scripts/report.mjs [--long]

Runs the invariants, the coverage and the measure of added gas (two to four minutes) and writes contracts/REPORT.md.

  --long   runs the invariants alone, as FOUNDRY_PROFILE=long has them (an hour on two cores), and writes their
           figures to contracts/snapshots/long-invariants.json, which the report shows
`,
  { long: { type: 'boolean' } },
);
const forge = requireFoundryTool('forge');

const json = (path) => JSON.parse(readFileSync(join(contractsRoot, path), 'utf8'));
const toml = readFileSync(join(contractsRoot, 'foundry.toml'), 'utf8');

function runForge(args, options = {}) {
  const { stdout, stderr } = spawnSync(forge, [...args, '--color', 'never'], {
    cwd: contractsRoot,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    ...options,
  });
  return stdout + stderr;
}

/** By what stands before `Invariants` in a suite's name: who acts in it. */
const ACTORS = { '': 'sponsorship', Token: 'sponsorship and token mode', Money: 'all who move money' };

function measureInvariants(env = {}) {
  console.log('invariants …');
  const output = runForge(['test', '--match-contract', 'Invariants'], { env: { ...process.env, ...env } });
  // A failure's reason and its sequence come before its counts.
  const suites = [
    ...output.matchAll(
      /Invariants\.t\.sol:(Token|Money|)Invariants(V\d\d)Test\n\[(PASS|FAIL)[^]*?\(runs: (\d+), calls: (\d+), reverts: (\d+)\)/g,
    ),
  ];
  if (suites.length !== Object.keys(ACTORS).length * VERSIONS.length) {
    console.error(`${output}\nThese are not the results of all invariants; the report stays as it was.`);
    process.exit(1);
  }
  return suites
    .map(([, name, version, result, runs, calls, reverts]) => ({
      actors: ACTORS[name],
      version,
      result,
      runs,
      calls,
      reverts,
    }))
    .sort((a, b) => a.actors.localeCompare(b.actors) || a.version.localeCompare(b.version));
}

const LONG_INVARIANTS = 'snapshots/long-invariants.json';
if (long) {
  const measured = measureInvariants({ FOUNDRY_PROFILE: 'long' });
  writeFileSync(join(contractsRoot, LONG_INVARIANTS), `${JSON.stringify(measured, null, 2)}\n`);
  process.exit(measured.every(({ result }) => result === 'PASS') ? 0 : 1);
}

const invariantsTable = (runs) =>
  table(
    ['actors', 'EntryPoint', 'result', 'sequences', 'calls', 'reverts'],
    runs.map((run) => [
      run.actors,
      run.version.toLowerCase(),
      run.result === 'PASS' ? 'holds' : 'FAILS',
      run.runs,
      run.calls,
      run.reverts,
    ]),
  );

/** What the last long run wrote; nothing before there was a run. */
function longInvariants() {
  if (!existsSync(join(contractsRoot, LONG_INVARIANTS))) return '';
  return `The last long run (\`report.mjs --long\`), at least 1,000,000 calls for each EntryPoint:

${invariantsTable(json(LONG_INVARIANTS))}

`;
}

/** What the last whole run of the mutants wrote; nothing before there was a run. */
function mutantsSection() {
  if (!existsSync(join(contractsRoot, 'snapshots/mutants.json'))) return '';
  const mutants = json('snapshots/mutants.json');
  const equivalents = json('../tools/mutants/contracts.json').mutants.filter(({ equivalent }) => equivalent);
  return `## Mutants

\`node tools/mutants.mjs\` breaks the contracts in one place at a time (tools/mutants/contracts.json) and runs the tests: of ${mutants.mutants} mutants ${mutants.killed} are killed (${mutants.timedOut} of them by time), ${mutants.alive} are alive, and ${mutants.equivalent} are equivalent: no test can tell them from the code.${mutants.inParts ? ' The figures are put together from runs of parts of the list.' : ''}

${table(
  ['file', 'mutants', 'killed', 'alive', 'equivalent'],
  Object.entries(mutants.files).map(([file, of]) => [file, of.mutants, of.killed, of.alive, of.equivalent]),
)}

${table(
  ['equivalent mutant in', 'instead of', 'why nothing can notice it'],
  equivalents.map(({ file, from, equivalent }) => [file, cell(from), equivalent]),
)}

`;
}

/**
 * forge's coverage can't follow imports that leave the project folder, so it runs on a copy with node_modules inside.
 * It measures unoptimised code: the copy has wider gas limits, and tests that measure gas may fail there.
 */
function measureCoverage() {
  console.log('coverage …');
  const copy = join(contractsRoot, 'out-forge/coverage');
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy, { recursive: true });
  for (const entry of ['src', 'test', 'scripts'])
    cpSync(join(contractsRoot, entry), join(copy, entry), { recursive: true });
  symlinkSync(resolve(contractsRoot, '../node_modules'), join(copy, 'node_modules'));
  const inside = (text) => text.replaceAll('../node_modules', 'node_modules');
  // Through Yul, branches of the source can't be told apart any more.
  const withoutYul = toml.replace(/^(additional_compiler_profiles|compilation_restrictions) = \[\n[^]*?^\]$/gm, '');
  writeFileSync(join(copy, 'foundry.toml'), inside(withoutYul));
  const versionTest = join(copy, 'test/support/Version.sol');
  writeFileSync(versionTest, readFileSync(versionTest, 'utf8').replace('"../node_modules', '"node_modules'));
  // Coverage counts what it compiled itself, which it finds by name.
  const testBase = join(copy, 'test/support/TestBase.sol');
  const byName = readFileSync(testBase, 'utf8').replace(
    /"out-forge\/", name, "\.sol\/", name, "\.json"/,
    'name, ".sol:", name',
  );
  writeFileSync(testBase, byName);
  const constants = json('gas-constants.json');
  for (const values of Object.values(constants)) {
    Object.assign(values, {
      paymasterVerificationGasLimit: 200_000,
      paymasterPostOpGasLimit: 60_000,
      unaccountedGas: 60_000,
      tokenValidationGas: 400_000,
    });
  }
  writeFileSync(join(copy, 'gas-constants.json'), JSON.stringify(constants));

  const args = [
    'coverage',
    '--report',
    'lcov',
    '--report-file',
    'lcov.info',
    '--no-match-contract',
    'GasConstants|Invariants|TokenGas|TokenStinginess|LeastGas|SimulatedGas',
  ];
  runForge(args, { cwd: copy });
  const files = [];
  for (const section of readFileSync(join(copy, 'lcov.info'), 'utf8').split('end_of_record')) {
    const path = section.match(/^SF:(.*)$/m)?.[1];
    if (!path?.startsWith('src/')) continue;
    const value = (key) => Number(section.match(new RegExp(`^${key}:(\\d+)$`, 'm'))?.[1] ?? 0);
    files.push({
      path,
      lines: [value('LH'), value('LF')],
      branches: [value('BRH'), value('BRF')],
      functions: [value('FNH'), value('FNF')],
    });
  }
  return files;
}

const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
const percent = (basisPoints) => `${(Number(basisPoints) / 100).toFixed(2)} %`;
const share = ([hit, found]) => `${hit} of ${found}`;

const RULES = [
  ['1', 'Balances, fees and stranded records never exceed the deposit', 'Invariants, after every call'],
  [
    '2',
    'A wallet pays at least what the EntryPoint took',
    'Invariants and Accounting, every operation; bundler rules, on anvil',
  ],
  ['3', 'Only the named wallet pays', 'Invariants, every bundle'],
  ['4', 'Nothing changes without a valid signature', 'Invariants (forged bundles); Signature (every byte flipped)'],
  [
    '5',
    "A sender's tokens cover what the EntryPoint took, at the signed rate",
    'token/TokenInvariants, every payment; TokenAccounting',
  ],
  ['6', 'A sender never pays more than `maxTokenCharge`', 'token/TokenInvariants, every payment; TokenSignature'],
  ['7', "The paymaster's tokens fall by refunds and withdrawals only", 'token/TokenInvariants, after every call'],
  ['8', 'No more is withdrawn than was deposited', 'Invariants, after every call'],
  ['9', 'A bundle its wallets afford never fails because of the paymaster', 'Invariants, every bundle'],
  [
    '10',
    'What comes after the measure stays within `unaccountedGas`',
    'Invariants and Accounting (fee ≤ charge − take); GasConstants',
  ],
  ['11', 'The context has one length per mode', 'Settlement; TokenSignature'],
  ['12', 'A signature is accepted once', 'Invariants (replays); Signature; Replay (12 × 12 places); token/TokenReplay'],
  ['13', 'After a rotation the old key fails and the new one works', 'Invariants; Owner'],
  ['14', 'A pause stops operations, never withdrawals', 'Invariants; Owner'],
  [
    '15',
    'The charge equals a second implementation to the wei and the base unit',
    'Accounting (sweep and fuzz); TokenSettlement',
  ],
  ['16', 'Every wei and every token is in a place that has a name', 'MoneyInvariants, after every call'],
];

// The measure of added gas reads what all tests compile to.
runForge(['build']);
const invariants = measureInvariants();
const coverage = measureCoverage();
console.log('added gas …');
const added = await measureAddedGas();
const constants = json('gas-constants.json');
const setting = (section, key) =>
  toml.match(new RegExp(`\\[profile\\.default\\.${section}\\][^[]*?^${key} = "?([\\w_]+)"?$`, 'm'))[1];

const figures = (prefix, name) => VERSIONS.map((version) => json(`snapshots/${prefix}-${version}.json`)[name] ?? '');
const gasNames = [...new Set(VERSIONS.flatMap((version) => Object.keys(json(`snapshots/gas-${version}.json`))))];
const constantNames = [...new Set(VERSIONS.flatMap((version) => Object.keys(constants[version])))];

const PARTS = 'call data,EntryPoint,calls,slots,ecrecover,logs,hashing,computing,token,account,refunds'.split(',');
const cell = (code) => `\`${code.trim().split('\n')[0]}\``;
const addedBy = (name) => added.find((one) => one.name === name);
const apartFromComputing = ({ gas, parts }) => gas - parts.computing;
const batchApproval = addedBy('ours, token by batch approval');
/** What batch approval adds where it computes no more than the least ledger that knows no token. */
const leastBatchApproval = apartFromComputing(batchApproval) + addedBy('ledger floor').parts.computing;
/** A mode of ours beside the least ledger that does the same. */
const besideTheLeast = (name, floor) => {
  const [without, withFee, least] = [addedBy(name), addedBy(`${name}, with a fee`), addedBy(floor)];
  const bound = apartFromComputing(least);
  return [name, without.gas, withFee.gas - without.gas, least.gas, bound, without.gas - bound];
};
const versionOf = (name) =>
  JSON.parse(readFileSync(resolve(contractsRoot, '../package.json'), 'utf8'))
    .devDependencies[name].split('@')
    .at(-1);

const text = `<!-- Written by contracts/scripts/report.mjs. Do not edit. -->

# Contracts: what is proven, and the figures

## Rules

${table(['rule', 'what holds', 'where'], RULES)}

Seed \`${setting('fuzz', 'seed')}\`, ${setting('fuzz', 'runs')} runs per fuzz test. \`FOUNDRY_FUZZ_SEED\` takes another seed, \`FOUNDRY_PROFILE=long\` more effort.

${invariantsTable(invariants)}

${longInvariants()}## Accounting

What the wallet is charged before the markup, above what the real EntryPoint took. Never below it. "Usual operations" have limits a fifth above their use; "sweep" runs callGasLimit to 5,000,000 and paymasterPostOpGasLimit to 5,000,000 over success, revert, out of gas and no call. "Token operations" are the usual ones paid in a token, ways allowance and batch approval, with a token call limit a fifth above its use: what the sender pays in tokens, above what the EntryPoint took at the signed rate. Most of it is \`tokenPostOpBaseGas\`, which has to cover a refund that is refused.

${table(
  ['', ...VERSIONS],
  ['usual operations', 'sweep', 'token operations'].flatMap((name) => [
    [`${name}: operations`, ...figures('over-charge', `${name}, operations`)],
    [`${name}: median`, ...figures('over-charge', `${name}, median basis points`).map(percent)],
    [`${name}: greatest`, ...figures('over-charge', `${name}, greatest basis points`).map(percent)],
  ]),
)}

## Gas

Measured with cold slots. The stub's figure is the same path with a wrong signer: within 30 gas of the good one's, checked.

${table(
  ['measure', ...VERSIONS],
  gasNames.map((name) => [name, ...figures('gas', name)]),
)}

${table(
  ['constant', ...VERSIONS],
  constantNames.map((name) => [`\`${name}\``, ...VERSIONS.map((version) => constants[version][name] ?? '')]),
)}

## Gas added to an operation

What a paymaster adds to a whole \`handleOps\` with one operation on EntryPoint v0.7: the gas of the transaction less that of the same account's same calls (a batch's approval among them), paid from the account's own deposit. Slots are cold, and each paymaster has served the account before. All are measured in one run on anvil (\`test-node/added-gas.mjs\`), whose figures are the same each time.

- **verifying floor, ledger floor, token ledger floor**: \`test/anchors/Floors.sol\`. The first checks a signature and keeps nothing. The others have the paymaster data of ours and keep only what a ledger has to: a signer that can be taken away, a wallet that pays before and is paid back after, and, for tokens, whose they are. They have no pause, no markup, no record of what a reverting \`postOp\` leaves, no bound on the EntryPoint's penalties, and one event.
- **Pimlico**: \`SingletonPaymasterV7\` as \`@pimlico/mock-paymaster\` ${versionOf('@pimlico/mock-paymaster')} has its bytecode. npm has no newer one.
- **OpenZeppelin**: \`PaymasterERC20\` and \`SignerECDSA\` of \`@openzeppelin/contracts\` ${versionOf('@openzeppelin/contracts-latest')}, with the token and its rate signed together with the operation. It has no ledger.

The parts are read from the trace, and add up. "Call data" is \`paymasterAndData\`. "EntryPoint" is what its own code does more: it copies and hashes that data, hands over the operation, and keeps the context for \`postOp\`. "Token" and "account" are what runs in their code. "Calls" to "computing" are the paymaster's own: cold accounts, slots, the key's recovery, events, hashes, and last the opcodes in between.

${table(
  ['paymaster', 'adds', ...PARTS],
  added.map(({ name, gas, parts }) => [name, `**${gas}**`, ...PARTS.map((part) => parts[part] ?? 0)]),
)}

**How low a ledger can get.** Take the computing away from the least ledger. What is left are the bytes of the signed terms, the EntryPoint's own work, cold accounts and slots, the recovery, one event, the hashes, and the token's code. No contract that keeps a ledger in storage does without any of them, so none with the guarantees of ours adds less. A word of context or a byte of signed terms fewer would move that by some hundred gas, not more.

${table(
  ['mode', 'ours', 'a fee on top', 'least ledger, measured', 'no ledger adds less than', 'ours above that'],
  [besideTheLeast('ours, sponsored', 'ledger floor'), besideTheLeast('ours, token by allowance', 'token ledger floor')],
)}

**Batch approval.** Apart from its computing ours adds ${apartFromComputing(batchApproval)}. In it are the slots and calls of the least ledger, and three events: the books need what a wallet was charged in advance, which stands when \`postOp\` reverts, what it paid in the end, and what the sender paid. The least ledger that knows no token computes for ${addedBy('ledger floor').parts.computing}. So a contract that also charges a token, and says these three things, adds at least ${leastBatchApproval}.

${mutantsSection()}## Coverage

Measured without Yul, whose source maps leave out lines that were merged or inlined. Forge never runs \`CallTrial\`, \`OperationMeter\` and \`StretchWitness\`: services put their code in place for an \`eth_call\`, and the integration tests of \`libs/chain\` and \`libs/gas\` do so on a node.

${table(
  ['file', 'lines', 'branches', 'functions'],
  coverage.map((file) => [file.path, share(file.lines), share(file.branches), share(file.functions)]),
)}
`;
writeFileSync(join(contractsRoot, 'REPORT.md'), await format(text, { parser: 'markdown' }));
console.log('Wrote contracts/REPORT.md.');
