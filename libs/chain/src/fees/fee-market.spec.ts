import { FeeMarket } from './fee-market';

const GWEI = 10n ** 9n;

/** A market whose chain and bundler say what a test wants; time passes when the test says so. */
function marketOf(said: { tipWei: bigint; baseFeeWei: bigint; fullness?: number; askedWei?: bigint }) {
  let nowMs = 0;
  const hex = (value: bigint): string => `0x${value.toString(16)}`;
  const provider = {
    ask: <T>(method: string, _params: readonly unknown[], parse: (value: unknown) => T): Promise<T> => {
      if (method === 'eth_blockNumber') return Promise.resolve(parse('0x64'));
      const many = <V>(value: V): V[] => Array.from({ length: 20 }, () => value);
      return Promise.resolve(
        parse({
          baseFeePerGas: many(hex(said.baseFeeWei)),
          gasUsedRatio: many(said.fullness ?? 0.5),
          reward: many([hex(said.tipWei), hex(2n * said.tipWei)]),
        }),
      );
    },
  };
  const market = new FeeMarket(
    {
      blockTimeSeconds: 12,
      bounds: { feeFloorWei: 0n, maxPriorityFeePerGasWei: 100n * GWEI } as never,
    },
    { providers: [provider], bundler: { askedPriorityFeeWei: () => Promise.resolve(said.askedWei) } },
    { clock: () => nowMs },
  );
  return { market, said, pass: (seconds: number) => (nowMs += seconds * 1_000) };
}

describe('FeeMarket', () => {
  it('allows what wallets tip that double what the chain pays', async () => {
    const { market } = marketOf({ tipWei: GWEI, baseFeeWei: 20n * GWEI });
    await market.refresh();
    expect(market.maxPriorityFeePerGasWei(20n * GWEI)).toBe((21n * GWEI) / 10n);
  });

  it('does not follow the base fee', async () => {
    const { market } = marketOf({ tipWei: GWEI, baseFeeWei: GWEI });
    await market.refresh();
    expect(market.maxPriorityFeePerGasWei(100n * GWEI)).toBe((21n * GWEI) / 10n);
  });

  it('believes a bundler that asks for a little more, and no more than that', async () => {
    const { market, said, pass } = marketOf({ tipWei: GWEI, baseFeeWei: GWEI, askedWei: 2n * GWEI });
    await market.refresh();
    expect(market.maxPriorityFeePerGasWei(GWEI)).toBe((22n * GWEI) / 10n);
    said.askedWei = 50n * GWEI;
    pass(15);
    await market.refresh();
    expect(market.maxPriorityFeePerGasWei(GWEI)).toBe((315n * GWEI) / 100n);
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

  it('allows where the base fee is zero no more than others paid', async () => {
    const { market } = marketOf({ tipWei: GWEI, baseFeeWei: 0n, askedWei: 90n * GWEI });
    await market.refresh();
    expect(market.maxPriorityFeePerGasWei(0n)).toBe(2n * GWEI);
  });

  it('allows a hundredth of the base fee where nobody tips, or nothing is known yet', async () => {
    const { market } = marketOf({ tipWei: 0n, baseFeeWei: GWEI });
    expect(market.maxPriorityFeePerGasWei(GWEI)).toBe(GWEI / 100n);
    await market.refresh();
    expect(market.maxPriorityFeePerGasWei(GWEI)).toBe(GWEI / 100n);
    expect(market.maxPriorityFeePerGasWei(0n)).toBe(0n);
  });
});
