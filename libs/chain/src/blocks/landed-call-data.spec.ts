import { EIP7702_MARKER, normalizeAddress, type EntryPointVersion } from '@paymaster/domain';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import { Interface } from 'ethers';
import { simpleAccountArtifact } from '../testing/simple-accounts';
import { bundledOperation, landedCallData, type LandedCallData } from './landed-call-data';

const ENTRY_POINT = randomAddress();
const HASH = randomHex(32).toLowerCase();
const WANTED = { sender: randomAddress(), nonce: (7n << 64n) + 1n, callData: randomHex(100) };
const OTHERS = [
  { ...WANTED, nonce: 1n, callData: '0x11' },
  { ...WANTED, sender: randomAddress(), callData: '0x22' },
];
const WORD = `0x${'00'.repeat(32)}`;
const GAS = {
  accountGasLimits: WORD,
  gasFees: WORD,
  preVerificationGas: 1n,
  callGasLimit: 1n,
  verificationGasLimit: 1n,
};
const REST = {
  initCode: '0x',
  ...GAS,
  maxFeePerGas: 1n,
  maxPriorityFeePerGas: 1n,
  paymasterAndData: '0x12',
  signature: '0x34',
};
const OPERATIONS = [...OTHERS, WANTED].map((operation) => ({ ...operation, ...REST }));
const AGGREGATOR = { aggregator: randomAddress(), signature: '0x56' };
const [V06, V07] = (['0.6', '0.7'] as const).map(
  (version) => new Interface(simpleAccountArtifact(version, 'EntryPoint').abi as string[]),
) as [Interface, Interface];

const bundle = (abi: Interface) => abi.encodeFunctionData('handleOps', [OPERATIONS, randomAddress()]);
const aggregated = (abi: Interface) => {
  const groups = [OPERATIONS.slice(0, 2), OPERATIONS.slice(2)].map((userOps) => ({ userOps, ...AGGREGATOR }));
  return abi.encodeFunctionData('handleAggregatedOps', [groups, randomAddress()]);
};

/** @param transaction what the node answers; null: it has none */
function read(transaction: unknown): Promise<LandedCallData> {
  const provider = {
    ask: async <T>(_method: string, _params: unknown, parse: (value: unknown) => T) => parse(transaction),
  };
  return landedCallData(provider, { ...WANTED, transactionHash: HASH, entryPoint: ENTRY_POINT });
}
const readInput = (input: string) => read({ hash: HASH, to: ENTRY_POINT.toUpperCase().replace('0X', '0x'), input });

describe('landedCallData', () => {
  it.each<[string, string]>([
    ['handleOps of v0.6', bundle(V06)],
    ['handleOps of v0.7', bundle(V07)],
    ['handleAggregatedOps of v0.6', aggregated(V06)],
    ['handleAggregatedOps of v0.7', aggregated(V07)],
  ])('finds the operation in %s by sender and nonce', async (_title, input) => {
    expect(await readInput(input)).toEqual({ callData: WANTED.callData });
  });

  it('finds nothing where the node has no transaction, or it calls another contract', async () => {
    expect(await read(null)).toBe('transactionUnknown');
    for (const to of [normalizeAddress(randomAddress()), null])
      expect(await read({ hash: HASH, to, input: bundle(V07) })).toBe('notInBundle');
  });

  it('finds nothing in another function, and in call data that end anywhere', async () => {
    expect(await readInput(`0x12345678${bundle(V07).slice(10)}`)).toBe('notInBundle');
    const whole = bundle(V07);
    const untilCallData = whole.indexOf(WANTED.callData.slice(2));
    for (let end = 2; end < untilCallData; end += 2) expect(await readInput(whole.slice(0, end))).toBe('notInBundle');
  });

  it('finds nothing behind offsets and lengths of any size', async () => {
    const whole = bundle(V07);
    for (let at = 10; at < 10 + 64 * 8; at += 64)
      for (const word of ['f'.repeat(64), '0'.repeat(63).concat('f')])
        expect(await readInput(whole.slice(0, at) + word + whole.slice(at + 64))).toEqual(expect.anything());
  });

  it('ends its search early where many groups share many operations', async () => {
    const words = (...values: number[]) => values.map((value) => value.toString(16).padStart(64, '0')).join('');
    const count = 4_000;
    // Each group is the same list, of which each operation is the word at its start.
    const heads = words(...Array<number>(count).fill(32 * count));
    const group = words(0x20, count, ...Array<number>(count).fill(0));
    const startedMs = performance.now();
    expect(await readInput(`0xdbed18e0${words(0x40, 0, count)}${heads}${group}`)).toBe('notInBundle');
    expect(performance.now() - startedMs).toBeLessThan(1_000);
  });

  it('refuses an answer about another transaction, or without bytes', async () => {
    await expect(read({ hash: WORD, to: ENTRY_POINT, input: '0x' })).rejects.toThrow('hash of the transaction');
    await expect(read({ hash: HASH, to: ENTRY_POINT, input: '0x1' })).rejects.toThrow('input of the transaction');
    await expect(read('none')).rejects.toThrow('eth_getTransactionByHash');
  });
});

describe('bundledOperation', () => {
  const BLOCK = { blockHash: randomHex(32), blockNumber: '0x10' };
  const paymaster = randomAddress();
  const data = randomHex(70);
  const signature = randomHex(65);
  const readBundle = (version: EntryPointVersion, changes: object, block: object = BLOCK) => {
    const abi = version === '0.6' ? V06 : V07;
    const input = abi.encodeFunctionData('handleOps', [[...OPERATIONS.slice(0, 2), { ...WANTED, ...REST, ...changes }], randomAddress()]); // prettier-ignore
    const transaction = { hash: HASH, to: ENTRY_POINT, input, ...block };
    const ask = async <T>(_method: string, _params: unknown, parse: (value: unknown) => T) => parse(transaction);
    const landed = { ...WANTED, transactionHash: HASH, entryPoint: ENTRY_POINT, version, deadlineMs: Infinity };
    return bundledOperation({ ask }, landed);
  };

  it.each([
    ['cut off', '0x7702', {}],
    ['whole, with data behind it', `${EIP7702_MARKER}beef`, { factoryData: '0xbeef' }],
  ])('reads the marker of EIP-7702 that is %s', async (_title, initCode, more) => {
    const found = await readBundle('0.8', { initCode, paymasterAndData: '0x' });
    expect(found).toMatchObject({
      ...{ blockHash: BLOCK.blockHash, blockNumber: 16n },
      complete: { operation: { factory: EIP7702_MARKER, ...more }, paymaster: undefined },
    });
  });

  it.each<[EntryPointVersion, object]>([
    ['0.8', { paymasterData: `${data}${signature.slice(2)}004122e325a297439656` }],
    ['0.9', { paymasterData: data, paymasterSignature: signature }],
  ])('takes the signature of the paymaster out of its data on v0.9 only: v%s', async (version, expected) => {
    const limits = `${'1'.padStart(32, '0')}${'2'.padStart(32, '0')}`;
    const paymasterAndData = `${paymaster}${limits}${data.slice(2)}${signature.slice(2)}004122e325a297439656`;
    const { complete } = (await readBundle(version, { paymasterAndData }))!;
    expect(complete.paymaster).toEqual({
      ...{ paymaster, paymasterVerificationGasLimit: 1n, paymasterPostOpGasLimit: 2n, ...expected },
    });
  });

  it('is null while the transaction is in no block', async () => {
    const pending = { blockHash: null, blockNumber: null };
    expect(await readBundle('0.7', { paymasterAndData: '0x' }, pending)).toBeNull();
  });
});
