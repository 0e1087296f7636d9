import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { JsonRpcHttp } from './json-rpc.http';
import type { HttpFrame, JsonRpcServer } from './json-rpc.server';

const closers: Array<() => Promise<void>> = [];

/** The HTTP side alone, with a frame that only remembers the client's address. */
async function listen(trustedProxies: number) {
  const addresses: Array<string | undefined> = [];
  const forwarded = jest.fn();
  const server: Pick<JsonRpcServer, 'handle'> = {
    handle: async (_body: Uint8Array, { clientAddress }: HttpFrame) => {
      addresses.push(clientAddress);
      return { status: 200, body: '{}', allowedOrigins: ['*'] };
    },
  };
  const http = new JsonRpcHttp({ trustedProxies }, forwarded);
  await http.open(server as JsonRpcServer);
  const listening: Server = http.createServer(() => undefined);
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}/`;
  const ask = async (forwardedFor?: string): Promise<void> => {
    const headers = { 'content-type': 'application/json', ...(forwardedFor && { 'x-forwarded-for': forwardedFor }) };
    await (await fetch(url, { method: 'POST', headers, body: '{}' })).text();
  };
  closers.push(() => {
    listening.closeAllConnections();
    return new Promise((resolve) => listening.close(() => resolve()));
  });
  return { url, ask, addresses, forwarded };
}

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

describe('a connection', () => {
  it('stays open for longer than balancers keep an idle one', async () => {
    const { url } = await listen(0);
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
    expect(answer.headers.get('keep-alive')).toBe('timeout=72');
  });
});

describe("a client's address", () => {
  it('is that of the connection if no proxy is trusted, and a proxy is reported once', async () => {
    const { ask, addresses, forwarded } = await listen(0);
    await ask();
    expect(forwarded).not.toHaveBeenCalled();
    await ask('203.0.113.7');
    await ask('203.0.113.8');
    expect(addresses).toEqual(['127.0.0.1', '127.0.0.1', '127.0.0.1']);
    expect(forwarded).toHaveBeenCalledTimes(1);
  });

  it('is the address that the trusted proxies report, and never one that the client sent', async () => {
    const { ask, addresses, forwarded } = await listen(2);
    await ask('203.0.113.7, 198.51.100.1');
    await ask('8.8.8.8, 203.0.113.7, 198.51.100.1');
    expect(addresses).toEqual(['203.0.113.7', '203.0.113.7']);
    expect(forwarded).not.toHaveBeenCalled();
  });

  const HOPS = Array.from({ length: 50 }, (_, hop) => `192.0.2.${hop}`).join(', ');
  it.each([
    [0, ['8.8.8.8', HOPS, 'garbage', '2001:db8::1', '127.0.0.1, 10.0.0.1'], '127.0.0.1'],
    // The proxy appends the address from which it got the request; an address that the client invented stands before
    // it.
    [1, ['203.0.113.7', '8.8.8.8, 203.0.113.7', `${HOPS}, 203.0.113.7`, 'garbage, 203.0.113.7'], '203.0.113.7'],
    [2, ['203.0.113.7, 198.51.100.1', `${HOPS}, 203.0.113.7, 198.51.100.1`, ',, 203.0.113.7, ::1'], '203.0.113.7'],
    [1, ['2001:db8::1', '8.8.8.8, 2001:db8::1'], '2001:db8::1'],
  ])('cannot be made up where %s proxies are trusted', async (trustedProxies, headers, expected) => {
    const { ask, addresses } = await listen(trustedProxies);
    for (const header of headers) await ask(header);
    expect(addresses).toEqual(headers.map(() => expected));
  });
});
