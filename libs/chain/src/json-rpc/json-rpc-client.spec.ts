import { FakeRpcError, FakeRpcServer, type FakeRpcMode } from '../testing';
import { JsonRpcClient } from './json-rpc-client';
import { JsonRpcResponseError, JsonRpcTransportError, type TransportFault } from './json-rpc-errors';

describe('JsonRpcClient', () => {
  let fake: FakeRpcServer;
  beforeEach(async () => {
    fake = await FakeRpcServer.start({ echo: (params) => params });
  });
  afterEach(() => fake.stop());

  const call = (timeoutMs = 60_000) => new JsonRpcClient(fake.url).call('echo', ['a', 1], { timeoutMs });

  it('gives the result as it came', async () => {
    await expect(call()).resolves.toEqual(['a', 1]);
  });

  it.each<[FakeRpcMode, TransportFault]>([
    ['hang', 'timeout'],
    ['trickle', 'timeout'],
    ['reset', 'connection'],
    ['http500', 'httpStatus'],
    ['http429', 'httpStatus'],
    ['invalidJson', 'invalidAnswer'],
    ['wrongShape', 'invalidAnswer'],
    ['wrongId', 'invalidAnswer'],
    ['hugeBody', 'tooLarge'],
  ])('%s is a transport fault: %s', async (mode, fault) => {
    fake.mode = mode;
    const error = await call(fault === 'timeout' ? 200 : undefined).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(JsonRpcTransportError);
    expect(error).toMatchObject({ fault });
  });

  it('reports a connection fault when no server listens', async () => {
    // No operating system assigns this port.
    const client = new JsonRpcClient('http://127.0.0.1:1');
    await expect(client.call('echo', [], { timeoutMs: 60_000 })).rejects.toMatchObject({ fault: 'connection' });
  });

  it.each([200, 400, 500])('hands on an error object, with HTTP %d too', async (status) => {
    fake.errorStatus = status;
    fake.methods['echo'] = () => {
      throw new FakeRpcError(-32000, 'no', { why: 'because' });
    };
    const error = await call().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(JsonRpcResponseError);
    expect(error).toMatchObject({ code: -32000, rpcMessage: 'no', data: { why: 'because' } });
  });

  it('hides its own URL when the server repeats it in an error', async () => {
    fake.methods['echo'] = () => {
      throw new FakeRpcError(-32000, 'no entry for /v2/0123456789abcdef', 'at /v2/0123456789abcdef');
    };
    const client = new JsonRpcClient(`${fake.url.replace(/\/$/, '')}/v2/0123456789abcdef`);
    const error = await client.call('echo', [], { timeoutMs: 60_000 }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ rpcMessage: 'no entry for /v2/[redacted]', data: 'at /v2/[redacted]' });
  });
});
