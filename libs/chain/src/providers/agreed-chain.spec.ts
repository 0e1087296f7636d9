import { DependencyUnavailableError, type Hex } from '@paymaster/domain';
import { FakeRpcError, FakeRpcServer, fakeClock, UNHURRIED, type FakeRpcMethod } from '../testing';
import { wireHeader } from '../testing/blocks';
import { AgreedChain, type AgreedChainOptions } from './agreed-chain';
import { CallRevertedError } from './eth-call';
import { DisagreementError, NotAgreedError } from './not-agreed.error';

const HEAD = 1_000;
const FINAL = 990;
const AT = `0x${'ab'.repeat(32)}` as Hex;
const CALL = { to: `0x${'11'.repeat(20)}` as Hex, data: '0x' as Hex };
/** If the caller waited for the hanging provider, it would wait for a minute. */
const LONG_BEFORE_A_DEADLINE_MS = 30_000;
const word = (value: bigint | number): Hex => `0x${value.toString(16).padStart(64, '0')}`;

describe('AgreedChain', () => {
  let providers: FakeRpcServer[] = [];
  let faults: Error[] = [];
  let refill: NodeJS.Timeout | undefined;

  beforeEach(() => {
    faults = [];
  });
  afterEach(async () => {
    clearInterval(refill);
    await Promise.all(providers.map((provider) => provider.stop()));
    providers = [];
  });

  /** Providers whose heads and answers are those given; one for each entry. */
  const start = async (
    balances: ReadonlyArray<bigint | FakeRpcMethod>,
    options: AgreedChainOptions & { finality?: { depth: number } } = {},
  ): Promise<AgreedChain> => {
    providers = await Promise.all(
      balances.map((balance) =>
        FakeRpcServer.start({
          eth_chainId: () => '0x1',
          eth_call: typeof balance === 'bigint' ? () => word(balance) : balance,
          ...chainUpTo(HEAD, FINAL),
        }),
      ),
    );
    const { finality = { tag: 'finalized' as const }, ...others } = options;
    return new AgreedChain(
      { chainId: 1, rpcUrls: providers.map(({ url }) => url), finality },
      { ...UNHURRIED, hedgeMs: 60_000, retryAfterMs: 1, onFault: (error) => faults.push(error), ...others },
    );
  };
  const balance = async (chain: AgreedChain) => BigInt(await chain.callAt(AT, CALL));
  const asked = (method = 'eth_call') => providers.map((provider) => provider.callsOf(method));

  describe('agreement', () => {
    it.each([
      [1, 1],
      [2, 2],
      [3, 2],
      [4, 3],
      [5, 3],
    ])('of %d providers %d must say the same, and no more are asked', async (count, needed) => {
      const chain = await start(Array.from({ length: count }, () => 7n));
      expect(chain.needed).toBe(needed);
      expect(await balance(chain)).toBe(7n);
      expect(asked().filter((calls) => calls > 0)).toHaveLength(needed);
    });

    it('reads the state after a block, by its hash', async () => {
      const chain = await start([7n]);
      await balance(chain);
      const { params } = providers[0]!.calls.find(({ method }) => method === 'eth_call')!;
      expect(params).toEqual([CALL, { blockHash: AT }]);
    });

    it.each([0, 1, 2])('one liar of three never wins, be it number %d', async (liar) => {
      const chain = await start([0, 1, 2].map((index) => (index === liar ? 1_000_000n : 7n)));
      for (let reads = 0; reads < 5; reads += 1) expect(await balance(chain)).toBe(7n);
    });

    it('reports and demotes the liar, and believes it again after a minute', async () => {
      const { clock, advanceSeconds } = fakeClock();
      const chain = await start([666n, 7n, 7n], { clock });
      await balance(chain);
      expect(faults).toMatchObject([{ name: 'DisagreementError', method: 'eth_call' }]);
      expect(faults[0]).toBeInstanceOf(DisagreementError);
      expect(faults[0]!.message).not.toContain('secret-key');
      expect(chain.status()[0]).toMatchObject({ state: 'disagreeing' });
      await balance(chain);
      expect(asked()).toEqual([1, 2, 2]);
      advanceSeconds(61);
      expect(chain.status()[0]).toMatchObject({ state: 'usable' });
    });

    it('refuses when two of three lie, each in its way', async () => {
      const chain = await start([1n, 2n, 7n]);
      await expect(balance(chain)).rejects.toMatchObject({ name: 'NotAgreedError', dependency: 'chain' });
      await expect(balance(chain)).rejects.toBeInstanceOf(DependencyUnavailableError);
    });

    it('refuses when one of two lies', async () => {
      await expect(balance(await start([1n, 7n]))).rejects.toBeInstanceOf(NotAgreedError);
    });

    it('refuses when one of two providers is down', async () => {
      const chain = await start([7n, 7n]);
      providers[1]!.mode = 'reset';
      await expect(balance(chain)).rejects.toBeInstanceOf(NotAgreedError);
    });

    it('does not let a URL that is listed twice agree with itself', async () => {
      await start([666n, 7n]);
      const [liar, honest] = providers.map(({ url }) => url);
      const rpcUrls = [liar!, liar!, honest!];
      const chain = new AgreedChain(
        { chainId: 1, rpcUrls, finality: { tag: 'finalized' } },
        { ...UNHURRIED, retryAfterMs: 1 },
      );
      await expect(balance(chain)).rejects.toBeInstanceOf(NotAgreedError);
    });

    it('reports a revert on which enough providers agree, whatever their texts', async () => {
      const reverts = (message: string) => () => {
        throw new FakeRpcError(3, message, '0x');
      };
      const chain = await start([reverts('execution reverted'), reverts('execution reverted: no'), 7n]);
      await expect(balance(chain)).rejects.toBeInstanceOf(CallRevertedError);
    });

    it('reports no revert when only one of two says so', async () => {
      const chain = await start([
        7n,
        () => {
          throw new FakeRpcError(3, 'execution reverted');
        },
      ]);
      await expect(balance(chain)).rejects.toBeInstanceOf(NotAgreedError);
    });
  });

  describe('providers that fail', () => {
    it.each([
      'hang',
      'trickle',
      'reset',
      'http500',
      'http429',
      'invalidJson',
      'wrongShape',
      'wrongId',
      'hugeBody',
    ] as const)('one of three that does %s costs a moment, never the answer', async (mode) => {
      const chain = await start([7n, 7n, 7n], { hedgeMs: 50 });
      providers[0]!.mode = mode;
      const startedAt = performance.now();
      expect(await balance(chain)).toBe(7n);
      expect(performance.now() - startedAt).toBeLessThan(LONG_BEFORE_A_DEADLINE_MS);
    });

    it.each(['hang', 'reset', 'http500', 'http429', 'invalidJson', 'hugeBody'] as const)(
      'two of three that do %s: it fails within the deadline',
      async (mode) => {
        const chain = await start([7n, 7n, 7n], { hedgeMs: 50, callTimeoutMs: 1_000, totalTimeoutMs: 600 });
        providers[0]!.mode = mode;
        providers[2]!.mode = mode;
        const startedAt = performance.now();
        await expect(balance(chain)).rejects.toBeInstanceOf(DependencyUnavailableError);
        expect(performance.now() - startedAt).toBeLessThan(LONG_BEFORE_A_DEADLINE_MS);
      },
    );

    it.each([null, 7, '7', '0x7', {}, [], '0xzz', true])('does not accept the answer %j', async (nonsense) => {
      await expect(balance(await start([() => nonsense]))).rejects.toBeInstanceOf(NotAgreedError);
      expect(faults[0]!.message).toContain('eth_call');
    });

    it('pauses calls to a provider that fails every time, and tries it again later', async () => {
      const { clock, advanceSeconds } = fakeClock();
      const chain = await start([7n, 7n, 7n], { clock, maxAttempts: 1 });
      providers[0]!.mode = 'http500';
      for (let reads = 0; reads < 8; reads += 1) await balance(chain);
      expect(providers[0]!.calls.length).toBe(5);
      expect(chain.status()[0]).toMatchObject({ state: 'open' });
      providers[0]!.mode = 'ok';
      advanceSeconds(11);
      await balance(chain);
      expect(chain.status()[0]).toMatchObject({ state: 'usable' });
    });

    it('waits for two providers with a quota at the same time', async () => {
      const refusedTimes = (times: number) => () => {
        if (times-- > 0) throw new FakeRpcError(429, 'too many requests');
        return word(7);
      };
      const chain = await start([7n, refusedTimes(3), refusedTimes(3)], { retryAfterMs: 200 });
      const startedAt = performance.now();
      expect(await balance(chain)).toBe(7n);
      // The fourth call to either is due after 200 + 400 + 400 ms, half as much more at most.
      expect(performance.now() - startedAt).toBeLessThan(1_800);
    });

    it('reads at the pace of a quota', async () => {
      let left = 0;
      refill = setInterval(() => (left = 5), 20);
      const chain = await start([
        () => {
          left -= 1;
          if (left < 0) throw new FakeRpcError(-32005, 'too many requests per second');
          return word(7);
        },
      ]);
      const reads = await Promise.all(Array.from({ length: 60 }, () => balance(chain)));
      expect(new Set(reads)).toEqual(new Set([7n]));
    });
  });

  describe('the chain they serve', () => {
    it('never uses a URL of another chain, looks again after a minute, and every hour', async () => {
      const { clock, advanceSeconds } = fakeClock();
      const chain = await start([666n, 7n, 7n], { clock });
      providers[0]!.methods['eth_chainId'] = () => '0x5';
      expect(await balance(chain)).toBe(7n);
      expect(chain.status()[0]).toMatchObject({ state: 'wrongChain' });
      await balance(chain);
      expect(asked()[0]).toBe(0);
      expect(asked('eth_chainId')).toEqual([1, 1, 1]);
      providers[0]!.methods['eth_chainId'] = () => '0x1';
      advanceSeconds(61);
      await balance(chain);
      expect(chain.status()[0]!.state).not.toBe('wrongChain');
      advanceSeconds(3_600);
      providers[1]!.methods['eth_chainId'] = () => '0x5';
      await balance(chain).catch(() => undefined);
      expect(chain.status()[1]).toMatchObject({ state: 'wrongChain' });
    });

    it('fails when only one of three serves the chain', async () => {
      const chain = await start([7n, 7n, 7n]);
      for (const provider of providers.slice(1)) provider.methods['eth_chainId'] = () => '0x5';
      await expect(balance(chain)).rejects.toBeInstanceOf(NotAgreedError);
    });
  });

  describe('head', () => {
    const lagBehind = (index: number, blocks: number) =>
      Object.assign(providers[index]!.methods, chainUpTo(HEAD - blocks, FINAL - blocks));

    it('is the highest block that enough providers know by its hash', async () => {
      const chain = await start([7n, 7n, 7n]);
      expect(await chain.head()).toMatchObject({ number: BigInt(HEAD), hash: wireHeader(HEAD).hash });
      lagBehind(0, 1);
      expect((await chain.head()).number).toBe(BigInt(HEAD));
      lagBehind(1, 5);
      expect((await chain.head()).number).toBe(BigInt(HEAD - 1));
    });

    it.each([1, 2, 3, 5, 10, 25, 50])('is not held up by one provider that lags %d blocks', async (lag) => {
      const chain = await start([7n, 7n, 7n]);
      lagBehind(0, lag);
      expect((await chain.head()).number).toBe(BigInt(HEAD));
      expect(chain.status()[0]!.state).toBe(lag > 2 ? 'lagging' : 'usable');
      const before = asked()[0]!;
      await balance(chain);
      expect(asked()[0]! - before).toBe(lag > 2 ? 0 : 1);
      lagBehind(0, 0);
      await chain.head();
      expect(chain.status()[0]!.state).toBe('usable');
    });

    it('demotes a provider that is one block and more than 12 s behind', async () => {
      const chain = await start([7n, 7n, 7n]);
      const head = { ...wireHeader(HEAD), timestamp: `0x${(2 * HEAD + 20).toString(16)}` };
      for (const { methods } of providers.slice(1)) {
        const others = methods['eth_getBlockByNumber']!;
        methods['eth_getBlockByNumber'] = ([which]) => (which === 'latest' ? head : others([which]));
      }
      lagBehind(0, 1);
      await chain.head();
      expect(chain.status()[0]!.state).toBe('lagging');
    });

    it('does not follow a single provider that is ahead, and demotes no other for it', async () => {
      const chain = await start([7n, 7n, 7n]);
      Object.assign(providers[1]!.methods, chainUpTo(HEAD + 1_000_000, HEAD + 999_990));
      expect((await chain.head()).number).toBe(BigInt(HEAD));
      expect((await chain.final()).number).toBe(BigInt(FINAL));
      expect(chain.status().map(({ state }) => state)).toEqual(['usable', 'usable', 'usable']);
    });

    it('is the last shared ancestor while the newest block is disputed', async () => {
      const chain = await start([7n, 7n]);
      const { methods } = providers[1]!;
      const others = methods['eth_getBlockByNumber']!;
      methods['eth_getBlockByNumber'] = ([which]) =>
        which === 'latest' || Number(which) === HEAD ? { ...wireHeader(HEAD), hash: word(99) } : others([which]);
      expect((await chain.head()).number).toBe(BigInt(HEAD - 1));
    });

    it('waits a moment only for one that hangs', async () => {
      const chain = await start([7n, 7n, 7n], { hedgeMs: 50 });
      providers[2]!.mode = 'hang';
      const startedAt = performance.now();
      expect((await chain.head()).number).toBe(BigInt(HEAD));
      expect(performance.now() - startedAt).toBeLessThan(LONG_BEFORE_A_DEADLINE_MS);
    });

    it('waits for a provider with a quota where too few others answer', async () => {
      const chain = await start([7n, 7n, 7n]);
      for (const provider of providers.slice(1)) {
        const latest = provider.methods['eth_getBlockByNumber']!;
        let refusals = 2;
        provider.methods['eth_getBlockByNumber'] = (params) => {
          if (refusals-- > 0) throw new FakeRpcError(429, 'too many requests');
          return latest(params);
        };
      }
      expect((await chain.head()).number).toBe(BigInt(HEAD));
    });

    it('is unknown when too few answer', async () => {
      const chain = await start([7n, 7n, 7n]);
      providers[1]!.mode = 'http500';
      providers[2]!.mode = 'http500';
      await expect(chain.head()).rejects.toBeInstanceOf(NotAgreedError);
    });
  });

  describe('final', () => {
    it('is what enough providers call final', async () => {
      const chain = await start([7n, 7n, 7n]);
      Object.assign(providers[0]!.methods, chainUpTo(HEAD, FINAL - 3));
      expect((await chain.final()).number).toBe(BigInt(FINAL));
    });

    it('is the configured number of blocks below the head, and the first block of a young chain', async () => {
      expect((await (await start([7n], { finality: { depth: 12 } })).final()).number).toBe(BigInt(HEAD - 12));
      await Promise.all(providers.map((provider) => provider.stop()));
      expect((await (await start([7n], { finality: { depth: 2_000 } })).final()).number).toBe(0n);
    });
  });

  describe('header', () => {
    it('is undefined when enough providers know no such block', async () => {
      const chain = await start([7n, 7n, 7n]);
      expect(await chain.header(BigInt(HEAD + 1))).toBeUndefined();
    });

    it('is the block even if one provider does not know it yet, and that provider is not demoted', async () => {
      const chain = await start([7n, 7n, 7n]);
      Object.assign(providers[0]!.methods, chainUpTo(HEAD - 1, FINAL));
      expect(await chain.header(BigInt(HEAD))).toMatchObject({ number: BigInt(HEAD) });
      expect(faults).toEqual([]);
    });

    it.each<[string, object]>([
      ['another number', { number: '0x5' }],
      ['a number that nothing has', { number: word(2n ** 200n) }],
      ['no hash', { hash: undefined }],
      ['half a hash', { hash: '0xabab' }],
      ['a time that nothing has', { timestamp: word(2n ** 60n) }],
      ['a short bloom', { logsBloom: '0x00' }],
      ['a number for a hash', { parentHash: 5 }],
    ])('with %s is no answer', async (_title, wrong) => {
      const chain = await start([7n]);
      providers[0]!.methods['eth_getBlockByNumber'] = ([which]) => ({ ...wireHeader(Number(which)), ...wrong });
      await expect(chain.header(9n)).rejects.toBeInstanceOf(NotAgreedError);
    });
  });
});

/** The methods of a node that knows this many blocks. */
function chainUpTo(head: number, final: number): Record<string, FakeRpcMethod> {
  return {
    eth_getBlockByNumber: ([which]) => {
      if (which === 'latest') return wireHeader(head);
      if (which === 'finalized') return wireHeader(final);
      return Number(which) > head ? null : wireHeader(Number(which));
    },
  };
}
