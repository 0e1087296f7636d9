import { FakeRpcServer, UNHURRIED } from '../testing';
import { wireBlock } from '../testing/blocks';
import { ChainProvider } from './chain-provider';

const BLOCK = { number: 1, timestampSeconds: 100 };
/** If the caller waited for the hanging URL, it would wait for a minute. */
const LONG_BEFORE_A_DEADLINE_MS = 30_000;
const callsOf = (server: FakeRpcServer) => server.callsOf('eth_getBlockByNumber');

describe('a ChainProvider whose first URL is slow', () => {
  let servers: readonly FakeRpcServer[];

  beforeEach(async () => {
    const methods = { eth_chainId: () => '0x1', eth_getBlockByNumber: () => wireBlock(BLOCK) };
    servers = await Promise.all([1, 2, 3].map(() => FakeRpcServer.start(methods)));
  });
  afterEach(() => Promise.all(servers.map((server) => server.stop())));

  const provider = (hedgeMs: number) =>
    new ChainProvider({ chainId: 1, rpcUrls: servers.map(({ url }) => url) }, { ...UNHURRIED, hedgeMs });

  it('asks the second beside it, and takes whichever answers first', async () => {
    servers[0]!.mode = 'hang';
    const startedAt = performance.now();
    expect((await provider(20).block('latest')).number).toBe(1n);
    expect(performance.now() - startedAt).toBeLessThan(LONG_BEFORE_A_DEADLINE_MS);
    expect(servers.map(callsOf)).toEqual([0, 1, 0]);
  });

  it('asks the third when the second is slow too', async () => {
    servers[0]!.mode = 'hang';
    servers[1]!.mode = 'hang';
    expect((await provider(20).block('latest')).number).toBe(1n);
    expect(callsOf(servers[2]!)).toBe(1);
  });

  it('asks no other URL while the first is quick', async () => {
    const reads = provider(60_000);
    for (let call = 0; call < 20; call += 1) await reads.block('latest');
    expect(servers.map(callsOf)).toEqual([20, 0, 0]);
  });

  it('calls a URL again, when all fail, for a tenth of the calls once ten were repeated', async () => {
    for (const server of servers) server.mode = 'http500';
    const breaker = { failureThreshold: 1_000, openMs: 1 };
    const rpcUrls = servers.slice(0, 2).map(({ url }) => url);
    const reads = new ChainProvider({ chainId: 1, rpcUrls }, { ...UNHURRIED, breaker });
    for (let call = 0; call < 50; call += 1) await reads.block('latest').catch(() => undefined);
    const calls = servers.reduce((sum, server) => sum + server.calls.length, 0);
    expect(calls).toBeGreaterThanOrEqual(2 * 50 + 10);
    expect(calls).toBeLessThanOrEqual(2 * 50 + 10 + 5);
  });
});
