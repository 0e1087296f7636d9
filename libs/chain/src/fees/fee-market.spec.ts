import type { RollupKind } from '../chains/chain-config';
import { FeeMarket } from './fee-market';

const GWEI = 10n ** 9n;

/** A market whose chain and bundler answer as the test says; time passes when the test says so. */
function marketOf(
  said: {
    tipWei: bigint;
    baseFeeWei: bigint;
    dearWei?: bigint;
    fullness?: number;
    askedWei?: bigint;
    suggestedWei?: bigint;
  },
  { rollup = 'none', blockTimeSeconds = 12 }: { rollup?: RollupKind; blockTimeSeconds?: number } = {},
) {
  let nowMs = 0;
  const hex = (value: bigint): string => `0x${value.toString(16)}`;
  const provider = {
    ask: <T>(method: string, _params: readonly unknown[], parse: (value: unknown) => T): Promise<T> => {
      if (method === 'eth_blockNumber') return Promise.resolve(parse('0x64'));
      if (method === 'eth_maxPriorityFeePerGas') return Promise.resolve(parse(hex(said.suggestedWei ?? 0n)));
      const many = <V>(value: V): V[] => Array.from({ length: 20 }, () => value);
      return Promise.resolve(
        parse({
          baseFeePerGas: many(hex(said.baseFeeWei)),
          gasUsedRatio: many(said.fullness ?? 0.5),
          // The upper half of its transactions tips more, and those in a hurry tip most.
          reward: many([hex(said.tipWei), hex(4n * said.tipWei), hex(said.dearWei ?? 8n * said.tipWei)]),
        }),
      );
    },
  };
  const market = new FeeMarket(
    {
      ...{ blockTimeSeconds, rollup },
      bounds: { feeFloorWei: 0n, maxPriorityFeePerGasWei: 100n * GWEI } as never,
    },
    { providers: [provider], bundler: { askedPriorityFeeWei: () => Promise.resolve(said.askedWei) } },
    { clock: () => nowMs },
  );
  return { market, said, pass: (seconds: number) => (nowMs += seconds * 1_000) };
}

describe('FeeMarket', () => {
  it('allows the tip of wallets that double what the chain pays', async () => {
    const { market } = marketOf({ tipWei: GWEI, baseFeeWei: 20n * GWEI });
    await market.refresh();
    expect(market.maxPriorityFeePerGasWei(20n * GWEI)).toBe((21n * GWEI) / 10n);
  });

  it('does not follow the base fee', async () => {
    const { market } = marketOf({ tipWei: GWEI, baseFeeWei: GWEI });
    await market.refresh();
    expect(market.maxPriorityFeePerGasWei(100n * GWEI)).toBe((21n * GWEI) / 10n);
  });

  it('follows a bundler that asks for a little more, but no further', async () => {
    const { market, said, pass } = marketOf({ tipWei: GWEI, baseFeeWei: GWEI, askedWei: 2n * GWEI });
    await market.refresh();
    expect(market.maxPriorityFeePerGasWei(GWEI)).toBe((22n * GWEI) / 10n);
    said.askedWei = 50n * GWEI;
    pass(15);
    await market.refresh();
    expect(market.maxPriorityFeePerGasWei(GWEI)).toBe((315n * GWEI) / 100n);
  });

  it('never allows more than the operator’s bound', async () => {
    const { market } = marketOf({ tipWei: 90n * GWEI, baseFeeWei: GWEI, askedWei: 500n * GWEI });
    await market.refresh();
    expect(market.maxPriorityFeePerGasWei(GWEI)).toBe(100n * GWEI);
  });

  it('remembers the bundler’s price as long as a client may use it', async () => {
    const { market, said, pass } = marketOf({ tipWei: GWEI, baseFeeWei: GWEI, askedWei: 2n * GWEI });
    await market.refresh();
    said.askedWei = GWEI;
    pass(15);
    await market.refresh();
    expect(market.maxPriorityFeePerGasWei(GWEI)).toBe((22n * GWEI) / 10n);
    pass(16);
    await market.refresh();
    expect(market.maxPriorityFeePerGasWei(GWEI)).toBe((21n * GWEI) / 10n);
  });

  it('follows the suggestion of OP stack nodes up to 1.5 times the median, and asks no other kind of node', async () => {
    const { market, said, pass } = marketOf({ tipWei: GWEI, baseFeeWei: GWEI }, { rollup: 'opStack' });
    const limitWhere = async (suggestedWei: bigint) => {
      said.suggestedWei = suggestedWei;
      pass(31);
      await market.refresh();
      return market.maxPriorityFeePerGasWei(GWEI);
    };
    expect(await limitWhere(GWEI / 2n)).toBe((21n * GWEI) / 10n);
    expect(await limitWhere(5n * GWEI)).toBe((105n * GWEI) / 10n);
    expect(await limitWhere(50n * GWEI)).toBe((126n * GWEI) / 10n);
    const other = marketOf({ tipWei: GWEI, baseFeeWei: GWEI, suggestedWei: 5n * GWEI });
    await other.market.refresh();
    expect(other.market.maxPriorityFeePerGasWei(GWEI)).toBe((21n * GWEI) / 10n);
  });

  it.each([
    [0.25, 1_000],
    [2, 2_000],
    [12, 3_000],
  ])('reads a chain with a block every %d s after each one, within reason', (blockTimeSeconds, refreshMs) => {
    expect(marketOf({ tipWei: 0n, baseFeeWei: 1n }, { blockTimeSeconds }).market.refreshMs).toBe(refreshMs);
  });

  it('allows what a client may have read half a minute ago, and then forgets it', async () => {
    const { market, said, pass } = marketOf({ tipWei: 10n * GWEI, baseFeeWei: 20n * GWEI });
    await market.refresh();
    said.tipWei = GWEI;
    pass(29);
    await market.refresh();
    expect(market.maxPriorityFeePerGasWei(20n * GWEI)).toBe(21n * GWEI);
    pass(29);
    await market.refresh();
    expect(market.maxPriorityFeePerGasWei(20n * GWEI)).toBe((21n * GWEI) / 10n);
  });

  it('allows no more than others paid if the base fee is zero', async () => {
    const { market } = marketOf({ tipWei: GWEI, baseFeeWei: 0n, askedWei: 90n * GWEI });
    await market.refresh();
    expect(market.maxPriorityFeePerGasWei(0n)).toBe((21n * GWEI) / 10n);
    const flat = marketOf({ tipWei: GWEI, dearWei: GWEI, baseFeeWei: 0n });
    await flat.market.refresh();
    expect(flat.market.maxPriorityFeePerGasWei(0n)).toBe(GWEI);
  });

  it('allows a hundredth of the base fee if nobody tips, or if nothing is known yet', async () => {
    const { market } = marketOf({ tipWei: 0n, baseFeeWei: GWEI });
    expect(market.maxPriorityFeePerGasWei(GWEI)).toBe(GWEI / 100n);
    await market.refresh();
    expect(market.maxPriorityFeePerGasWei(GWEI)).toBe(GWEI / 100n);
    expect(market.maxPriorityFeePerGasWei(0n)).toBe(0n);
  });
});
