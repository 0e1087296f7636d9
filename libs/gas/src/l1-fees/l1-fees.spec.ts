import { ChainProvider, toWord, type ChainConfig, type RollupKind } from '@paymaster/chain';
import { fakeClock, FakeRpcError, FakeRpcServer, type FakeClock } from '@paymaster/chain/testing';
import type { Hex, UserOperation } from '@paymaster/domain';
import { randomAddress, randomHex, userOperationV07Builder } from '@paymaster/domain/testing';
import { L1Fees } from './l1-fees';

const ORACLE = '0x420000000000000000000000000000000000000f';
const ARB_SYS = '0x0000000000000000000000000000000000000064';
const GWEI = 1_000_000_000n;
/** Selectors of the GasPriceOracle and of ArbGasInfo, and what they answer. */
const answers = (l1BaseFee: () => bigint): Record<string, () => bigint> => ({
  '0x4ef6e224': () => 1n, // isEcotone
  '0x960e3a23': () => 1n, // isFjord
  '0xc5985918': () => 5_000n, // baseFeeScalar
  '0x68d5dca6': () => 0n, // blobBaseFeeScalar
  '0x519b4bd3': l1BaseFee,
  '0xf8206140': () => 1n, // blobBaseFee
  '0xf5d6ded7': l1BaseFee, // getL1BaseFeeEstimate
});

describe('L1Fees', () => {
  let node: FakeRpcServer;
  let time: FakeClock;
  let l1BaseFee: bigint;
  let code: Record<string, Hex>;
  let faults: string[];
  const started: L1Fees[] = [];

  beforeEach(async () => {
    l1BaseFee = 10n * GWEI;
    code = { [ORACLE]: '0x60' };
    faults = [];
    time = fakeClock();
    const answered = answers(() => l1BaseFee);
    node = await FakeRpcServer.start({
      eth_chainId: () => '0xa',
      eth_getCode: ([address]) => code[String(address)] ?? '0x',
      eth_call: ([call]) => {
        const answer = answered[(call as { data: string }).data.slice(0, 10)];
        if (!answer) throw new FakeRpcError(3, 'execution reverted');
        return toWord(answer());
      },
    });
  });
  afterEach(async () => {
    for (const fees of started.splice(0)) fees.stop();
    await node.stop();
  });

  // The same sender for all, because an address that compresses differently changes the fee.
  const entryPoints = { '0.7': { entryPoint: randomAddress(), paymaster: randomAddress() } };
  const open = (rollup: RollupKind): L1Fees => {
    const chain: Pick<ChainConfig, 'chainId' | 'rollup' | 'entryPoints' | 'rpcUrls'> = {
      ...{ chainId: 10, rollup, rpcUrls: [node.url] },
      entryPoints,
    };
    const onFault = (error: unknown) => void faults.push(String(error));
    const fees = new L1Fees(chain, new ChainProvider(chain), { clock: time.clock, onFault, refreshMs: 3_600_000 });
    started.push(fees);
    return fees;
  };
  const opened = async (rollup: RollupKind = 'opStack'): Promise<L1Fees> => {
    const fees = open(rollup);
    await fees.refresh();
    return fees;
  };
  const operation: UserOperation = userOperationV07Builder().build();
  const paymasterAndData = randomHex(158);
  /** At a price so low that rounding to whole gas does not matter. */
  const gasOf = (fees: L1Fees, gasPriceWei = 1_000n) =>
    fees.preVerificationGas({ operation, paymasterAndData, gasPriceWei, transactionGas: 0n });
  /** The gas that the chain would take now. */
  const trueGas = async () => gasOf(await opened()).expected;
  const percent = (gas: bigint, of: bigint) => Number((gas * 10_000n) / of) / 100;

  it('counts the fee in gas at the price that is paid for gas', async () => {
    const fees = await opened();
    const { expected } = gasOf(fees);
    expect(expected).toBeGreaterThan(0n);
    const dear = gasOf(fees, 10_000n).expected;
    expect(dear).toBe((expected + 9n) / 10n);
  });

  it('leaves room for what one L1 block can move', async () => {
    const { expected, highest } = gasOf(await opened());
    expect(percent(highest, expected)).toBeCloseTo(112.5, 1);
  });

  it('accepts quotes of the last L1 block when the fee falls, but no older ones', async () => {
    const fees = await opened();
    const before = gasOf(fees).expected;
    time.advanceSeconds(11);
    l1BaseFee /= 2n;
    await fees.refresh();
    expect(gasOf(fees).highest).toBe(before);
    time.advanceSeconds(2);
    const { expected, highest } = gasOf(fees);
    expect(percent(highest, expected)).toBeCloseTo(112.5, 1);
    expect(percent(before, expected)).toBeCloseTo(200, 1);
  });

  it('accepts all clients that were quoted the newest fee while it rises tenfold within a minute', async () => {
    const fees = await opened();
    const first = l1BaseFee;
    for (let second = 1; second <= 60; second++) {
      time.advanceSeconds(1);
      l1BaseFee = BigInt(Math.round(Number(first) * 10 ** (second / 60)));
      // A bundler quotes a client by the newest block, which was not read here yet.
      const quoted = await trueGas();
      expect(gasOf(fees).highest).toBeGreaterThanOrEqual(quoted);
      // The bundler adds a tenth; its quote is accepted once the rise was read twice.
      if (second > 4) expect(gasOf(fees).highest).toBeGreaterThanOrEqual((quoted * 110n) / 100n);
      expect(percent(gasOf(fees).highest, quoted)).toBeLessThan(122);
      if (second % 2 === 0) await fees.refresh();
    }
    expect(l1BaseFee).toBe(10n * first);
  });

  it('pays at most 1.125 times the fee while fees stand or rise, and 1.17 times while they fall as fast as they can', async () => {
    const fees = await opened();
    // Factors per L1 block of 12 s, six readings each: the fastest fall of base fees, then the fastest rise.
    for (const [factor, most] of [
      [0.854, 117.1],
      [1, 112.6],
      [1.125, 112.6],
    ] as const) {
      // prettier-ignore
      for (let block = 0; block < 4; block++) {
        l1BaseFee = BigInt(Math.round(Number(l1BaseFee) * factor));
        for (let read = 0; read < 6; read++) {
          await fees.refresh();
          // A client that signs now and lands at once pays as much as one that lands at the end of the block.
          if (block > 0) expect(percent(gasOf(fees).highest, await trueGas())).toBeLessThanOrEqual(most);
          time.advanceSeconds(2.001);
        }
      }
    }
  });

  it('throws before there is a reading, and when the reading is older than a minute', async () => {
    const fees = open('opStack');
    expect(() => gasOf(fees)).toThrow(/the L1 data fee of chain 10 has not been read yet/);
    await fees.refresh();
    time.advanceSeconds(60);
    expect(() => gasOf(fees)).not.toThrow();
    time.advanceSeconds(1);
    expect(() => gasOf(fees)).toThrow(/was last read 61 s ago/);
    expect(fees.ageSeconds()).toBe(61);
    await fees.refresh();
    expect(fees.trouble()).toBeUndefined();
  });

  it('keeps reading after a failure, which it reports', async () => {
    node.mode = 'http500';
    const fees = open('opStack');
    await fees.start();
    expect(faults.at(-1)).toMatch(/cannot be read/);
    expect(fees.trouble()).toMatch(/not been read yet/);
    node.mode = 'ok';
    time.advanceSeconds(60);
    await fees.refresh();
    expect(fees.trouble()).toBeUndefined();
  });

  it('is zero on a chain that is not a rollup, and checks the kind once', async () => {
    code = {};
    const fees = open('none');
    expect(gasOf(fees)).toEqual({ expected: 0n, highest: 0n });
    await fees.refresh();
    const asked = node.calls.length;
    await fees.refresh();
    expect(node.calls.length).toBe(asked);
    expect([gasOf(fees), fees.trouble(), fees.ageSeconds()]).toEqual([
      { expected: 0n, highest: 0n },
      undefined,
      undefined,
    ]);
  });

  it('is zero while gas is free', async () => {
    expect(gasOf(await opened(), 0n)).toEqual({ expected: 0n, highest: 0n });
  });

  it.each([
    ['none', ORACLE, /"none" in chains.json but has GasPriceOracle at 0x42.*: it is "opStack"/],
    ['none', ARB_SYS, /"none" in chains.json but has ArbSys at 0x00.*64: it is "arbitrum"/],
    ['opStack', undefined, /"opStack" in chains.json but has no GasPriceOracle at 0x42.*: it is "none"/],
    ['opStack', ARB_SYS, /"opStack" in chains.json but has ArbSys .*: it is "arbitrum"/],
    ['arbitrum', undefined, /"arbitrum" in chains.json but has no ArbSys .*: it is "none"/],
    ['arbitrum', ORACLE, /"arbitrum" in chains.json but has GasPriceOracle .*: it is "opStack"/],
  ] as const)('refuses a chain by name that is %s in chains.json and has %s', async (rollup, address, expected) => {
    code = address ? { [address]: '0xfe' } : {};
    const fees = open(rollup);
    await fees.start();
    expect(faults).toEqual([expect.stringMatching(expected)]);
    expect(fees.trouble()).toMatch(expected);
    expect(() => gasOf(fees)).toThrow(expected);
    // The operator corrects the node's URL.
    code = { none: {}, opStack: { [ORACLE]: '0x60' as Hex }, arbitrum: { [ARB_SYS]: '0xfe' as Hex } }[rollup];
    await fees.refresh();
    expect(fees.trouble()).toBeUndefined();
  });
});
