import { FeeMarket } from './fee-market';

const GWEI = 10n ** 9n;
const hex = (value: bigint): string => `0x${value.toString(16)}`;

interface Said {
  /** The tip of every block of the window; `none` where the node answers with empty lists. */
  tipWei: bigint | 'none' | Error;
  fullness?: number;
  askedWei?: bigint;
  suggestedWei?: bigint;
  /** Only asked where nothing is suggested. */
  gasPriceWei?: bigint;
  baseFeeWei?: bigint;
}

/** A node that answers as the test says. */
const node = (said: Said) => ({
  ask: async <T>(method: string, _params: readonly unknown[], parse: (value: unknown) => T): Promise<T> => {
    const missing = new Error(`the method ${method} does not exist`);
    const answer = (value: bigint | undefined): T => {
      if (value === undefined) throw missing;
      return parse(hex(value));
    };
    if (method === 'eth_maxPriorityFeePerGas') return answer(said.suggestedWei);
    if (method === 'eth_gasPrice') return answer(said.gasPriceWei);
    if (method === 'eth_getBlockByNumber') return parse({ baseFeePerGas: hex(said.baseFeeWei ?? 0n) });
    if (said.tipWei instanceof Error) throw said.tipWei;
    const tips = said.tipWei === 'none' ? [] : Array.from({ length: 20 }, () => [hex(said.tipWei as bigint)]);
    return parse({ gasUsedRatio: tips.map(() => said.fullness ?? 0.5), reward: tips });
  },
});

/** A market whose nodes and bundler answer as the test says; time passes when the test says so. */
function marketOf(said: Said, { blockTimeSeconds = 12, others = [] as Said[] } = {}) {
  let nowMs = 0;
  const faults: unknown[] = [];
  const bounds = { feeFloorWei: 0n, maxPriorityFeePerGasWei: 100n * GWEI } as never;
  const market = new FeeMarket(
    { blockTimeSeconds, bounds },
    {
      providers: [said, ...others].map(node),
      bundler: { askedPriorityFeeWei: () => Promise.resolve(said.askedWei) },
    },
    { clock: () => nowMs, onFault: (fault) => faults.push(fault) },
  );
  const bound = () => market.maxPriorityFeePerGasWei(7n);
  return { market, said, bound, faults, pass: (seconds: number) => (nowMs += seconds * 1_000) };
}

const OUT_OF_RANGE = Object.assign(new Error('requested block range is out of bounds'), { code: -32602 });

describe('FeeMarket', () => {
  it('allows the tip of wallets that double what the chain pays, or what its node suggests', async () => {
    const paid = marketOf({ tipWei: GWEI, suggestedWei: 1n });
    await paid.market.refresh();
    expect(paid.bound()).toBe((21n * GWEI) / 10n);
    const suggested = marketOf({ tipWei: 1n, suggestedWei: GWEI });
    await suggested.market.refresh();
    expect(suggested.bound()).toBe((21n * GWEI) / 10n);
  });

  it('reads again at once for a client that asks for more, at most once in a second', async () => {
    const { market, said, bound, pass } = marketOf({ tipWei: GWEI, suggestedWei: GWEI });
    await market.refresh();
    said.suggestedWei = 5n * GWEI;
    await market.readAgain();
    expect(bound()).toBe((105n * GWEI) / 10n);
    said.suggestedWei = 7n * GWEI;
    pass(0.9);
    await market.readAgain();
    expect(bound()).toBe((105n * GWEI) / 10n);
    pass(0.1);
    await market.readAgain();
    expect(bound()).toBe((147n * GWEI) / 10n);
  });

  it('takes what a node suggests from its gas price where it suggests no tip', async () => {
    const { market, bound } = marketOf({ tipWei: 0n, gasPriceWei: 3n * GWEI, baseFeeWei: 2n * GWEI });
    await market.refresh();
    expect(bound()).toBe((21n * GWEI) / 10n);
  });

  it('allows what the configured bundler asks, whatever the chain pays', async () => {
    const { market, bound } = marketOf({ tipWei: GWEI, askedWei: 50n * GWEI });
    await market.refresh();
    expect(bound()).toBe(55n * GWEI);
  });

  it.each<[string, Said['tipWei']]>([
    ['empty lists', 'none'],
    ['that the requested block range is out of bounds', OUT_OF_RANGE],
  ])('is not lowered by a restarted node that answers eth_feeHistory with %s', async (_title, tipWei) => {
    const restarted = marketOf({ tipWei, suggestedWei: GWEI });
    await restarted.market.refresh();
    expect(restarted.bound()).toBe((21n * GWEI) / 10n);

    const running = marketOf({ tipWei: 2n * GWEI, suggestedWei: GWEI });
    await running.market.refresh();
    running.said.tipWei = tipWei;
    running.pass(3_600);
    await running.market.refresh();
    expect(running.bound()).toBe((42n * GWEI) / 10n);
  });

  it('is not lowered by a day of empty blocks', async () => {
    const { market, said, bound, pass } = marketOf({ tipWei: 2n * GWEI });
    await market.refresh();
    said.fullness = 0;
    said.tipWei = 0n;
    for (let hour = 0; hour < 24; hour++) {
      pass(3_600);
      await market.refresh();
    }
    expect(bound()).toBe((42n * GWEI) / 10n);
  });

  it('keeps its last reading while the node answers nothing', async () => {
    const { market, said, bound, faults, pass } = marketOf({ tipWei: GWEI, suggestedWei: GWEI });
    await market.refresh();
    said.tipWei = new Error('down');
    delete said.suggestedWei;
    pass(3_600);
    await market.refresh();
    expect(bound()).toBe((21n * GWEI) / 10n);
    expect(faults).toHaveLength(1);
  });

  it('takes the median of several providers', async () => {
    const lie: Said = { tipWei: 90n * GWEI, suggestedWei: 90n * GWEI };
    const honest = (): Said => ({ tipWei: GWEI, suggestedWei: GWEI });
    const { market, bound } = marketOf(lie, { others: [honest(), honest()] });
    await market.refresh();
    expect(bound()).toBe((21n * GWEI) / 10n);
  });

  it('never allows more than the operator’s bound', async () => {
    const { market, bound } = marketOf({ tipWei: 90n * GWEI, askedWei: 500n * GWEI });
    await market.refresh();
    expect(bound()).toBe(100n * GWEI);
  });

  it('remembers the bundler’s price as long as a client may use it', async () => {
    const { market, said, bound, pass } = marketOf({ tipWei: GWEI, askedWei: 4n * GWEI });
    await market.refresh();
    said.askedWei = GWEI;
    pass(15);
    await market.refresh();
    expect(bound()).toBe((44n * GWEI) / 10n);
    pass(106);
    await market.refresh();
    expect(bound()).toBe((21n * GWEI) / 10n);
  });

  it.each([
    [0.25, 1_000],
    [2, 2_000],
    [12, 3_000],
  ])('reads a chain with a block every %d s after each one, within reason', (blockTimeSeconds, refreshMs) => {
    expect(marketOf({ tipWei: 0n }, { blockTimeSeconds }).market.refreshMs).toBe(refreshMs);
  });

  it('allows what a client may have read two minutes ago, and then forgets it', async () => {
    const { market, said, bound, pass } = marketOf({ tipWei: 10n * GWEI });
    await market.refresh();
    said.tipWei = GWEI;
    pass(119);
    await market.refresh();
    expect(bound()).toBe(21n * GWEI);
    pass(119);
    await market.refresh();
    expect(bound()).toBe((21n * GWEI) / 10n);
  });

  it('refuses no tip below the last bound before anything was read', () => {
    expect(marketOf({ tipWei: GWEI }).market.maxPriorityFeePerGasWei(3n * GWEI)).toBe(100n * GWEI);
  });
});
