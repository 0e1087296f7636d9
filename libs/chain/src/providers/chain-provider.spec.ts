import { DependencyUnavailableError, RequestTimedOutError } from '@paymaster/domain';
import { holdTimeLimits, until } from '@paymaster/domain/testing';
import { fakeClock, FakeRpcError, FakeRpcServer, UNHURRIED, wireBlock, type FakeRpcMode } from '../testing';
import { ChainProvider } from './chain-provider';
import { CallRevertedError } from './eth-call';

const CHAIN_ID = 31337;
const methods = (number: number) => ({
  eth_chainId: () => '0x7a69',
  eth_getBlockByNumber: () => wireBlock({ number, timestampSeconds: 1_800_000_000 }),
});

describe('ChainProvider', () => {
  let first: FakeRpcServer;
  let second: FakeRpcServer;
  const faults: Error[] = [];

  beforeEach(async () => {
    faults.length = 0;
    first = await FakeRpcServer.start(methods(1));
    second = await FakeRpcServer.start(methods(2));
  });
  afterEach(async () => {
    jest.useRealTimers();
    await first.stop();
    await second.stop();
  });

  const provider = (options: ConstructorParameters<typeof ChainProvider>[1] = {}) =>
    new ChainProvider(
      { chainId: CHAIN_ID, rpcUrls: [first.url, second.url] },
      { ...UNHURRIED, onFault: (error) => faults.push(error), ...options },
    );

  it('asks the first URL while it answers', async () => {
    await expect(provider().block('latest')).resolves.toEqual({
      number: 1n,
      timestampSeconds: 1_800_000_000,
      baseFeePerGasWei: 1n,
    });
    expect(second.calls).toHaveLength(0);
  });

  it.each<FakeRpcMode>(['reset', 'http500', 'http429', 'invalidJson', 'wrongShape', 'wrongId', 'hugeBody'])(
    'takes the answer of the second URL when the first does: %s',
    async (mode) => {
      first.mode = mode;
      expect((await provider().block('latest')).number).toBe(2n);
    },
  );

  it.each<FakeRpcMode>(['hang', 'trickle'])('asks the second URL once the first has had its time: %s', async (mode) => {
    const limits = holdTimeLimits();
    first.mode = mode;
    const reading = provider({ callTimeoutMs: 2_000 }).block('latest');
    await until(() => first.calls.length > 0);
    await limits.pass(1_999);
    expect(second.calls).toHaveLength(0);
    await limits.pass(1);
    expect((await reading).number).toBe(2n);
  });

  it.each([
    ['no block', null],
    ['a block without a number', { timestamp: '0x1' }],
    ['a time that is no quantity', { ...wireBlock({ number: 1, timestampSeconds: 1 }), timestamp: 'yesterday' }],
    [
      'a time beyond every clock',
      { ...wireBlock({ number: 1, timestampSeconds: 1 }), timestamp: `0x${'f'.repeat(20)}` },
    ],
  ])('takes the answer of the second URL when the first answers %s', async (_title, block) => {
    first.methods['eth_getBlockByNumber'] = () => block;
    expect((await provider().block('latest')).number).toBe(2n);
  });

  it('asks another URL when one says that it is overloaded', async () => {
    first.methods['eth_getBlockByNumber'] = () => {
      throw new FakeRpcError(-32005, 'daily request count exceeded');
    };
    expect((await provider().block('latest')).number).toBe(2n);
  });

  it('never uses a URL that serves another chain, and reports it', async () => {
    first.methods['eth_chainId'] = () => '0x1';
    const reads = provider();
    await reads.block('latest');
    await reads.block('latest');
    expect(first.calls.map((call) => call.method)).toEqual(['eth_chainId']);
    expect(reads.status().map((status) => status.state)).toEqual(['wrongChain', 'usable']);
    expect(faults[0]?.message).toContain('serves chain 1, not 31337');
  });

  it('asks for the chain id once per URL, however many calls begin together', async () => {
    const reads = provider();
    await Promise.all(Array.from({ length: 10 }, () => reads.block('latest')));
    expect(first.callsOf('eth_chainId')).toBe(1);
  });

  it('says that the chain is unavailable when no URL answers, within the attempts of one call', async () => {
    first.mode = 'http500';
    second.mode = 'http500';
    const error = await provider()
      .block('latest')
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(DependencyUnavailableError);
    expect(error).toMatchObject({ dependency: 'chain' });
    expect(first.calls.length + second.calls.length).toBe(3);
  });

  it('never shows the path of a URL, which may hold a key', async () => {
    first.mode = 'http500';
    second.mode = 'reset';
    const error = (await provider()
      .block('latest')
      .catch((caught: unknown) => caught)) as Error;
    for (const shown of [error, error.cause as Error, ...faults]) {
      expect(`${shown.message} ${shown.stack}`).not.toContain('secret-key');
    }
  });

  it.each([
    ['reverts', 3, 'execution reverted'],
    ['reverts, in words only', -32000, 'VM Exception: revert'],
    ['runs out of gas on geth', -32000, 'out of gas'],
    ['runs out of gas on anvil', -32603, 'EVM error OutOfGas'],
    ['breaks off', -32000, 'invalid opcode: INVALID'],
  ])('does not ask other nodes when the contract %s', async (_title, code, message) => {
    first.methods['eth_call'] = () => {
      throw new FakeRpcError(code, message, '0x08c379a0');
    };
    const call = provider().ethCall({ to: '0x01', data: '0x' }, () => undefined);
    await expect(call).rejects.toThrow(CallRevertedError);
    expect(second.calls).toHaveLength(0);
  });

  it('stops asking a URL that failed several times in a row, and tries it again later', async () => {
    const time = fakeClock();
    const reads = provider({ breaker: { failureThreshold: 2, openMs: 10_000 }, clock: time.clock });
    first.mode = 'http500';
    for (let round = 0; round < 5; round++) await reads.block('latest');
    expect(first.calls).toHaveLength(2);
    expect(reads.status()[0]?.state).toBe('open');

    first.mode = 'ok';
    time.advanceSeconds(11);
    expect((await reads.block('latest')).number).toBe(1n);
    expect(reads.status()[0]?.state).toBe('usable');
  });

  describe('for a request with a deadline', () => {
    const account = `0x${'22'.repeat(20)}` as const;

    it('asks no URL when it is over', async () => {
      await expect(provider().code(account, performance.now())).rejects.toThrow(RequestTimedOutError);
      expect(first.calls).toHaveLength(0);
    });

    it('gives up when it is over, which is not the fault of the URL', async () => {
      const breaker = { failureThreshold: 1, openMs: 60_000 };
      const reads = provider({ breaker });
      await reads.block('latest');
      first.mode = 'hang';
      // A timer counts from the beginning of its turn, so the first may be given up early, and the second asked briefly.
      second.mode = 'hang';
      await expect(reads.code(account, performance.now() + 200)).rejects.toThrow(RequestTimedOutError);
      expect(reads.status().map(({ state }) => state)).toEqual(['usable', 'usable']);
    });

    it('lets other requests use the chain id for which it asked first', async () => {
      let answer: (chainId: string) => void = () => undefined;
      first.methods['eth_chainId'] = () => new Promise<string>((resolve) => (answer = resolve));
      const reads = provider({ maxAttempts: 1 });
      const hasty = reads.code(account, performance.now() + 100);
      const patient = reads.block('latest');
      await expect(hasty).rejects.toThrow(RequestTimedOutError);
      answer('0x7a69');
      expect((await patient).number).toBe(1n);
      expect(first.callsOf('eth_chainId')).toBe(1);
    });
  });
});
