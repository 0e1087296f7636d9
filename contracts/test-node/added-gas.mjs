/** What a paymaster adds to the gas of a whole `handleOps` on EntryPoint v0.7: ours, and others that npm has. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { concat, encodeAbiParameters, pad, parseEther, parseEventLogs, toHex } from 'viem';
import { entryPoint07Address } from 'viem/account-abstraction';
import { entryPointAbi, forgeArtifact, handleOpsAbi, startChain, STUB_SIGNATURE } from './chain.mjs';
import { tokenFields, WAYS } from './token-terms.mjs';
import { gasByPart } from './traces.mjs';

const NO_FEE = 1_000_000n;
const FEE = 1_050_000n;
const RATE = 3_000n * 10n ** 18n;
const INTRINSIC_GAS = 21_000;
const bytes = (value, size) => pad(toHex(value), { size });
/** paymasterVerificationGasLimit and paymasterPostOpGasLimit of the others. */
const LIMITS = concat([bytes(200_000n, 16), bytes(100_000n, 16)]);

/**
 * Runs every operation twice, alone in its bundle, and measures the second: no slot is written for the first time, and
 * each is cold. Account, call, keys and times are the same throughout, so the figures are the same in every run.
 * @returns `{ name, gas, parts }` for each paymaster: what it adds to the same call with the account's own deposit;
 *   the parts add up to it.
 */
export async function measureAddedGas() {
  const chain = await startChain('v07');
  try {
    const [sender] = chain.accounts;
    await chain.depositTo(sender);
    const plain = async () => withoutPaymaster(await chain.operation(sender));
    const measured = [];
    for (const paymaster of [...ours(chain), ...(await others(chain, plain))]) {
      const withIt = await secondOf(chain, paymaster);
      const without = await secondOf(chain, { operation: async () => withoutPaymaster(await paymaster.operation()) });
      const parts = Object.keys({ ...withIt, ...without }).map((part) => [
        part,
        (withIt[part] ?? 0) - (without[part] ?? 0),
      ]);
      const gas = parts.reduce((sum, [, added]) => sum + added, 0);
      measured.push({ name: paymaster.name, gas, parts: Object.fromEntries(parts) });
    }
    return measured;
  } finally {
    await chain.stop();
  }
}

const withoutPaymaster = (op) => ({ ...op, paymasterAndData: '0x' });

/** Gas by part of the second of two equal operations; the parts add up to what its transaction took. */
async function secondOf(chain, { operation, address }) {
  await chain.send([await operation()]);
  const { transactionHash: hash, gasUsed, logs } = await chain.send([await operation()]);
  const [event] = parseEventLogs({ abi: entryPointAbi, logs });
  if (!event?.args.success) throw new Error('the operation failed: its gas says nothing');
  const { input } = await chain.client.getTransaction({ hash });
  const trace = await chain.traceTransaction(hash);
  const parts = gasByPart(trace, roles(chain, address), chain.entryPoint.toLowerCase());
  parts['call data'] = callDataGas(input);
  parts.refunds = -trace.structLogs.at(-1).refund;
  const spent = Object.values(parts).reduce((sum, gas) => sum + gas, INTRINSIC_GAS);
  if (spent !== Number(gasUsed)) throw new Error(`${gasUsed} gas were used, of which ${spent} are explained`);
  return parts;
}

/** Whose code is at a lower-case address. */
function roles({ entryPoint, token, accounts }, paymaster = entryPoint) {
  const all = [
    [paymaster, 'paymaster'],
    [entryPoint, 'EntryPoint'],
    [token, 'token'],
    [accounts[0], 'account'],
  ];
  const known = new Map(all.map(([address, role]) => [address.toLowerCase(), role]));
  return (address) => known.get(address);
}

const callDataGas = (data) => {
  const all = data.slice(2).match(/../g);
  const zeros = all.filter((byte) => byte === '00').length;
  return 4 * zeros + 16 * (all.length - zeros);
};

/** Each mode and way with a fee and without one: a fee has a slot of its own. */
function ours(chain) {
  const [sender] = chain.accounts;
  const ways = [
    ['ours, sponsored', undefined],
    ['ours, token by allowance', WAYS.allowance],
    ['ours, token by permit', WAYS.permit],
    ['ours, token by batch approval', WAYS.batchApproval],
  ];
  return ways.flatMap(([name, way]) => {
    const charging = (feeMarkup) => ({
      address: chain.paymaster,
      operation: () => chain.operation(sender, { way, feeMarkup }),
    });
    return [
      { name, ...charging(NO_FEE) },
      { name: `${name}, with a fee`, ...charging(FEE) },
    ];
  });
}

async function others(chain, plain) {
  const { client, signer, entryPoint, fundingWallet, token, feeReceiver } = chain;
  const [sender, treasury] = chain.accounts;
  const until = async () => bytes((await client.getBlock()).timestamp + 3_600n, 6);
  const addresses = (...all) =>
    encodeAbiParameters(
      all.map(() => ({ type: 'address' })),
      all,
    );

  const deployed = async (code) => {
    const address = await chain.deploy(code);
    await chain.depositTo(address);
    await chain.approveFrom(sender, address);
    return address;
  };
  const digestOf = (address, op) =>
    client.readContract({ address, abi: handleOpsAbi.packed, functionName: 'getDigest', args: [op] });
  const signedBy = async (address, fields, sign) => {
    const op = await plain();
    const unsigned = concat([address, LIMITS, ...fields]);
    const signature = await sign({ ...op, paymasterAndData: concat([unsigned, STUB_SIGNATURE]) });
    return { ...op, paymasterAndData: concat([unsigned, signature]) };
  };
  const own = (name, address, fields) => ({
    name,
    address,
    operation: async () =>
      signedBy(address, await fields(), async (op) => signer.sign({ hash: await digestOf(address, op) })),
  });

  const floor = await deployed(
    concat([forgeArtifact('Floors', 'VerifyingFloor'), addresses(entryPoint, signer.address)]),
  );
  const ledgers = addresses(entryPoint, signer.address, fundingWallet);
  const ledgerFloor = (name) =>
    deployed(concat([forgeArtifact('Floors', name), ledgers, bytes(parseEther('100'), 32)]));
  const ledger = await ledgerFloor('LedgerFloor');
  const tokenLedger = await ledgerFloor('TokenLedgerFloor');
  const openZeppelin = await deployed(
    concat([
      forgeArtifact('OpenZeppelinTokenPaymaster', 'OpenZeppelinTokenPaymaster'),
      addresses(entryPoint, signer.address),
    ]),
  );

  const { code, abi } = await pimlico(entryPoint, signer.address);
  const singleton = await deployed(code);
  await chain.approveFrom(treasury, singleton);
  const pimlicos = (name, mode, fields) => ({
    name,
    address: singleton,
    operation: async () =>
      signedBy(singleton, await fields(), async (op) => {
        const raw = await client.readContract({ address: singleton, abi, functionName: 'getHash', args: [mode, op] });
        return signer.signMessage({ message: { raw } });
      }),
  });
  const erc20 = async (preFund) => [
    // Mode and "all bundlers" in one byte, then which of three optional fields there are.
    ...['0x03', preFund ? '0x04' : '0x00', await until(), bytes(0, 6), token],
    ...[bytes(30_000n, 16), bytes(RATE, 32), bytes(200_000n, 16), treasury, preFund ? bytes(preFund, 16) : '0x'],
  ];
  /** As ours have them. */
  const terms = async (mode) => [mode, await until(), bytes(0, 6), fundingWallet, bytes(NO_FEE, 4), bytes(15_000n, 4)];
  return [
    own('verifying floor', floor, async () => []),
    own('ledger floor', ledger, () => terms('0x01')),
    own('token ledger floor', tokenLedger, async () => [
      ...(await terms('0x02')),
      tokenFields({ way: WAYS.allowance, token, feeReceiver }),
    ]),
    pimlicos('Pimlico, verifying', 0, async () => ['0x01', await until(), bytes(0, 6)]),
    pimlicos('Pimlico, ERC-20', 1, () => erc20(0n)),
    pimlicos('Pimlico, ERC-20 prefunded', 1, () => erc20(10n ** 18n)),
    own('OpenZeppelin, ERC-20', openZeppelin, async () => [token, bytes(RATE, 32)]),
  ];
}

/** The package holds the bytecode for its own use: it has no export for it. */
async function pimlico(entryPoint, signer) {
  const root = join(dirname(createRequire(import.meta.url).resolve('@pimlico/mock-paymaster')), '..');
  const load = (path) => import(pathToFileURL(join(root, '_esm', path)));
  const [{ getSingletonPaymaster07InitCode }, { singletonPaymaster07Abi }] = await Promise.all([
    load('constants.js'),
    load('helpers/abi.js'),
  ]);
  // Its constructor's arguments end with the canonical EntryPoint and three roles, all the signer's.
  const code = getSingletonPaymaster07InitCode(signer).replace(
    pad(entryPoint07Address).slice(2),
    pad(entryPoint).slice(2),
  );
  return { code, abi: singletonPaymaster07Abi };
}
