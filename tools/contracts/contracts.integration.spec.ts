import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadChainsFile } from '@paymaster/chain';
import { connectDevChain, deployCanonicalContracts, DEV_KEYS, startAnvil, type Anvil } from '@paymaster/devnet';
import { SponsoredChain } from '@paymaster/chain/testing';
import { CANONICAL_ENTRY_POINTS, type EntryPointVersion } from '@paymaster/domain';
import { loadSigner } from '@paymaster/signers';
import { encryptKeystoreJson } from 'ethers';
import { CommandLine } from './command-line';
import { COMMANDS } from './commands';

const SIGNER = '0x00000000000000000000000000000000000000a1';
const OTHER_SIGNER = '0x00000000000000000000000000000000000000a2';
/** Who deploys the contracts of `SponsoredChain`: anvil's first account. */
const DEPLOYER = {
  address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  privateKey: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
};
const FUNDING_WALLET = '0x00000000000000000000000000000000000000f1';

let folder: string;
let anvil: Anvil;
let key: readonly string[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'paymaster-contracts-'));
  anvil = await startAnvil();
  await deployCanonicalContracts(await connectDevChain({ rpcUrl: anvil.url, privateKey: DEV_KEYS.owner.privateKey }));
  const keystore = await encryptKeystoreJson(DEV_KEYS.owner, 'open', { scrypt: { N: 2 } });
  writeFileSync(join(folder, 'payer.json'), keystore);
  writeFileSync(join(folder, 'passphrase'), 'open\n');
  key = ['--keystore', join(folder, 'payer.json'), '--passphrase-file', join(folder, 'passphrase')];
});
afterAll(async () => {
  await anvil.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** What a command says. */
async function run(command: string, ...args: string[]): Promise<string[]> {
  const lines: string[] = [];
  await COMMANDS[command]!(CommandLine.read([command, ...args]), (line) => lines.push(line));
  return lines;
}
const paying = (command: string, ...args: string[]) => run(command, '--rpc-url', anvil.url, ...key, ...args);
const status = (...args: string[]) => run('status', '--rpc-url', anvil.url, ...args);
const chainsFile = () => join(folder, 'chains.json');

describe('npm run contracts', () => {
  let paymaster: string;

  it('deploys and stakes a paymaster, and writes a chains.json that the apps read', async () => {
    const options = ['--entry-point', '0.7', '--signer', SIGNER, '--stake-eth', '0.5'];
    const chains = ['--chains-file', chainsFile(), '--bundler-url', 'https://bundler.example.org'];
    const said = await paying('deploy', ...options, ...chains);
    expect(said).toEqual([
      expect.stringMatching(/^paymaster for EntryPoint v0\.7: 0x[0-9a-f]{40} \(deployed\)$/),
      'stake: 0.5 for 86400 s',
      `chain 31337 is in ${chainsFile()}`,
    ]);
    const { chains: [chain] = [] } = { chains: loadChainsFile(chainsFile()) };
    paymaster = chain!.entryPoints['0.7']!.paymaster;
    expect(chain).toMatchObject({
      chainId: 31337,
      rollup: 'none',
      entryPoints: { '0.7': { entryPoint: CANONICAL_ENTRY_POINTS['0.7'] } },
    });
    expect(said[0]).toContain(paymaster);
  });

  it('does nothing twice, and adds other EntryPoints to the chain that is there', async () => {
    expect(await paying('deploy', '--entry-point', '0.7', '--signer', SIGNER)).toEqual([
      `paymaster for EntryPoint v0.7: ${paymaster} (was there)`,
      'stake: was there',
    ]);
    const chains = ['--chains-file', chainsFile(), '--bundler-url', 'https://bundler.example.org'];
    for (const version of ['0.8', '0.9'])
      await paying('deploy', '--entry-point', version, '--signer', SIGNER, '--stake-eth', '0.1', ...chains);
    const [chain, ...others] = loadChainsFile(chainsFile());
    expect(others).toEqual([]);
    expect(Object.keys(chain!.entryPoints)).toEqual(['0.7', '0.8', '0.9']);
    expect(chain!.entryPoints['0.7']!.paymaster).toBe(paymaster);
  });

  describe('a move to another contract', () => {
    const options = ['--entry-point', '0.8', '--signer', SIGNER, '--withdrawal-delay-seconds', '7300'];
    const chains = () => ['--chains-file', chainsFile(), '--bundler-url', 'https://bundler.example.org'];
    const v08 = () => loadChainsFile(chainsFile())[0]!.entryPoints['0.8']!;
    const switchTo = (address: string, ...more: string[]) =>
      run('switch', '--rpc-url', anvil.url, '--entry-point', '0.8', '--paymaster', address, ...chains(), ...more);
    let first: string;
    let next: string;

    it('names the next contract before it is deployed, and signs for the one that was there', async () => {
      first = v08().paymaster;
      const said = await paying('deploy', ...options, ...chains());
      next = v08().nextPaymaster!;
      expect(said[0]).toBe(`${next} is nextPaymaster of EntryPoint v0.8 in ${chainsFile()}. Nothing is deployed yet:`);
      expect(v08().paymaster).toBe(first);
      await expect(status('--paymaster', next)).rejects.toThrow('there is no paymaster contract');
      const another = [...options.slice(0, -1), '7400'];
      await expect(paying('deploy', ...another, ...chains())).rejects.toThrow('names another nextPaymaster');
    });

    it('deploys it when the command is given again, and still signs for the one that was there', async () => {
      await expect(switchTo(next, '--signer', SIGNER)).rejects.toThrow('there is no paymaster contract');
      expect(await paying('deploy', ...options, ...chains())).toEqual([
        `paymaster for EntryPoint v0.8: ${next} (deployed)`,
        'stake: 0.1 for 86400 s',
        expect.stringContaining('nothing is signed for it before `switch`'),
      ]);
      expect(v08()).toMatchObject({ paymaster: first, nextPaymaster: next, drainingPaymasters: [] });
    });

    it('switches only to a contract that is ready, and back', async () => {
      await expect(switchTo(next, '--signer', OTHER_SIGNER)).rejects.toThrow('may not sign for it yet');
      await expect(switchTo(paymaster, '--signer', SIGNER)).rejects.toThrow('neither as next nor as draining');
      expect(v08().paymaster).toBe(first);
      await switchTo(next, '--signer', SIGNER);
      expect(v08()).toEqual({ entryPoint: v08().entryPoint, paymaster: next, drainingPaymasters: [first] });
      expect(await switchTo(next, '--signer', SIGNER)).toEqual([`operations are signed for ${next} already`]);
      await switchTo(first, '--signer', SIGNER);
      expect(v08()).toMatchObject({ paymaster: first, drainingPaymasters: [next] });
    });

    it('forgets no contract that drains when a command is given again', async () => {
      const before = v08();
      expect((await paying('deploy', ...options, ...chains()))[2]).toContain('nothing is signed for it');
      const ofFirst = ['--entry-point', '0.8', '--signer', SIGNER];
      expect((await paying('deploy', ...ofFirst, ...chains()))[0]).toContain(`${first} (was there)`);
      expect(v08()).toEqual(before);
    });

    it('refuses a contract that stood there before settlement followed it', async () => {
      const other = [...options.slice(0, -1), '7500'];
      await paying('deploy', ...other);
      await expect(paying('deploy', ...other, ...chains())).rejects.toThrow('settlement may have missed deposits');
    });
  });

  it('leaves the stake to an owner who is somebody else', async () => {
    const said = await paying('deploy', '--entry-point', '0.6', '--signer', SIGNER, '--owner', OTHER_SIGNER);
    expect(said[1]).toBe(`stake: left to the owner ${OTHER_SIGNER}`);
    const address = /0x[0-9a-f]{40}/.exec(said[0]!)![0];
    expect(await status('--paymaster', address)).toContain('stake           NONE, 0 s');
  });

  it('adds to a funding wallet, and says what a contract has', async () => {
    const wallet = ['--paymaster', paymaster, '--funding-wallet', FUNDING_WALLET];
    await paying('deposit', ...wallet, '--eth', '0.25');
    expect(await paying('deposit', ...wallet, '--eth', '1')).toEqual([`${FUNDING_WALLET} has 1.25 on ${paymaster}`]);
    expect(await status(...wallet, '--signer', SIGNER, '--signer', OTHER_SIGNER)).toEqual(
      expect.arrayContaining([
        `owner           ${DEV_KEYS.owner.address.toLowerCase()}`,
        'stake           0.5, 86400 s',
        'deposit         1.25 of all funding wallets',
        `signer          ${SIGNER} yes`,
        `signer          ${OTHER_SIGNER} NO`,
        `funding wallet  ${FUNDING_WALLET} 1.25`,
      ]),
    );
  });

  it('rotates signers, and never takes the last one away', async () => {
    const of = (signer: string) => ['--paymaster', paymaster, '--signer', signer];
    await expect(paying('remove-signer', ...of(SIGNER))).rejects.toThrow('it is the last one');
    expect(await paying('add-signer', ...of(OTHER_SIGNER))).toEqual([
      expect.stringMatching(new RegExp(`^${OTHER_SIGNER} is a signer of ${paymaster} after \\d{4}-.*Z$`)),
    ]);
    expect(await paying('add-signer', ...of(OTHER_SIGNER))).toEqual([`${OTHER_SIGNER} was a signer already`]);
    expect(await status('--paymaster', paymaster, '--signer', OTHER_SIGNER)).toContainEqual(
      expect.stringMatching(new RegExp(`^signer          ${OTHER_SIGNER} after \\d{4}-.*Z$`)),
    );
    await paying('remove-signer', ...of(SIGNER));
    expect(await status('--paymaster', paymaster, '--signer', SIGNER)).toContain(`signer          ${SIGNER} NO`);
  });

  it('states what failed batch approvals left to a wallet, and has it credited', async () => {
    const chain = await SponsoredChain.start();
    try {
      writeFileSync(join(folder, 'deployer.json'), await encryptKeystoreJson(DEPLOYER, 'open', { scrypt: { N: 2 } }));
      const owning = (command: string, version: EntryPointVersion, ...args: string[]) => {
        const { paymaster: address } = chain.world.of(version);
        const keys = ['--keystore', join(folder, 'deployer.json'), '--passphrase-file', join(folder, 'passphrase')];
        const of = ['--paymaster', address, '--funding-wallet', chain.world.wallet];
        return run(command, '--rpc-url', chain.url, ...keys, ...of, ...args);
      };
      const amounts = (recorded: bigint, returned: bigint | string) => [
        ...['--recorded-wei', String(recorded), '--returned-wei', String(returned)],
      ];
      const { wallet } = chain.world;
      const read = async (view: string): Promise<bigint> => {
        const { paymaster: to, abi } = chain.world.of('0.7');
        return BigInt(
          String(await chain.rpc('eth_call', { to, data: abi.encodeFunctionData(view, [wallet]) }, 'latest')),
        );
      };
      await chain.handleOps('0.7', [await chain.sponsored({ version: '0.7', unpaid: true })]);
      const recordedWei = await read('unsettledOf');
      const refused = (args: string[], version: EntryPointVersion = '0.7') =>
        expect(owning('return-unsettled', version, ...args)).rejects;
      await refused(amounts(recordedWei + 1n, 0n)).toThrow(`--recorded-wei: ${recordedWei} are recorded`);
      await refused(amounts(3n, 4n)).toThrow('--returned-wei must not be above --recorded-wei');
      await refused(amounts(3n, '0.1')).toThrow('--returned-wei must be a whole number of wei');
      await refused(amounts(3n, 2n), '0.6').toThrow('keeps no records of unsettled precharges');

      expect(await owning('return-unsettled', '0.7', ...amounts(recordedWei, 5n))).toEqual([
        expect.stringMatching(/gets 0\.000000000000000005 back by credit-unsettled, in \d+ s at the earliest$/),
      ]);
      await expect(owning('credit-unsettled', '0.7')).rejects.toThrow();
      const before = await read('balanceOf');
      await chain.rpc('evm_increaseTime', 20 * 86_400);
      expect(await owning('credit-unsettled', '0.7')).toEqual([expect.stringContaining(`${wallet} has `)]);
      expect(await read('balanceOf')).toBe(before + 5n);
    } finally {
      await chain.stop();
    }
  });

  it('makes a key that the gateway opens, for nobody else to read', async () => {
    const [keystorePath, passphrasePath] = [join(folder, 'signer.json'), join(folder, 'passphrase')];
    const [address] = await run('new-key', '--keystore', keystorePath, '--passphrase-file', passphrasePath);
    const signer = await loadSigner({
      source: { kind: 'keystore', keystorePath, passphrasePath },
      nodeEnv: 'production',
    });
    expect(signer.address).toBe(address);
    expect(statSync(keystorePath).mode & 0o777).toBe(0o600);
    const before = readFileSync(keystorePath, 'utf8');
    await expect(run('new-key', '--keystore', keystorePath, '--passphrase-file', passphrasePath)).rejects.toThrow(
      'is there already',
    );
    expect(readFileSync(keystorePath, 'utf8')).toBe(before);
  });

  it.each([
    ['a signer that is no address', ['deploy', '--entry-point', '0.7', '--signer', '0x12'], '--signer must be'],
    ['no signer', ['deploy', '--entry-point', '0.7'], '--signer is missing'],
    ['another EntryPoint', ['deploy', '--entry-point', '1.0', '--signer', SIGNER], '--entry-point must be one of'],
    [
      'an amount that is none',
      ['deploy', '--entry-point', '0.7', '--signer', SIGNER, '--stake-eth', '1e3'],
      '--stake-eth',
    ],
    [
      'a delay that is too long',
      ['deploy', '--entry-point', '0.7', '--signer', SIGNER, '--withdrawal-delay-seconds', '604801'],
      '--withdrawal-delay-seconds',
    ],
    [
      'a delay that is too short',
      ['deploy', '--entry-point', '0.7', '--signer', SIGNER, '--withdrawal-delay-seconds', '3599'],
      '--withdrawal-delay-seconds must be whole seconds, from 3600 to 604800',
    ],
    ['an address without a contract', ['status', '--paymaster', SIGNER], 'there is no paymaster contract'],
  ])('refuses %s by name', async (_what, [command = '', ...args], problem) => {
    await expect(paying(command, ...args)).rejects.toThrow(problem);
  });

  it('refuses options that it does not know, a node that does not answer, and a key that does not open', async () => {
    expect(() => CommandLine.read(['status', '--paymster', SIGNER])).toThrow('--paymster');
    await expect(run('status', '--rpc-url', 'http://127.0.0.1:9', '--paymaster', SIGNER)).rejects.toThrow('--rpc-url');
    writeFileSync(join(folder, 'wrong'), 'close');
    const wrong = ['--keystore', join(folder, 'payer.json'), '--passphrase-file', join(folder, 'wrong')];
    await expect(run('demo', '--rpc-url', anvil.url, ...wrong)).rejects.toThrow('do not belong together');
  });
});
