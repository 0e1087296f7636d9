import { numberToHex } from 'viem';
import { readStack } from '@paymaster/devnet';
import { execute } from './support/call-data';
import { INCREMENT } from './support/demo-contract';
import { expectRpcError } from './support/expect-rpc-error';
import { freshPaymaster, gatewayUrl, type FreshPaymaster } from './support/fresh-paymaster';
import { call, http, post, resultOf, type SponsoredResult } from './support/json-rpc';
import { draftOperation, newSimpleAccount } from './support/simple-account';
import { AS_SENT, LIMITS, SPONSORED, BICONOMY_METHODS } from './support/sponsor';
import type { WireOperation } from './support/wire-operation';

const stack = readStack();
const { address: demo } = stack.demoContract;

let paymaster: FreshPaymaster;
/** A v0.6 operation that is sponsored, with its gas limits. */
let complete: WireOperation;

beforeAll(async () => {
  paymaster = await freshPaymaster(stack);
  const account = await newSimpleAccount(stack, '0.6');
  complete = {
    ...(await draftOperation(stack, account, { callData: execute({ to: demo, data: INCREMENT }) })),
    ...LIMITS,
  };
});

describe('discovery', () => {
  it('pm_supportedEntryPoints lists every EntryPoint of the chain', async () => {
    const result = resultOf<string[]>(await call({ url: paymaster.url, method: 'pm_supportedEntryPoints' }));
    const lower = (addresses: readonly string[]) => addresses.map((address) => address.toLowerCase()).sort();
    expect(lower(result)).toEqual(lower(Object.values(stack.entryPoints)));
  });

  it('pm_chainId is the chain of the key, as hex', async () => {
    expect(resultOf(await call({ url: paymaster.url, method: 'pm_chainId' }))).toBe(numberToHex(stack.chainId));
  });

  it('rpc.discover is an OpenRPC document of these methods', async () => {
    const document = resultOf<{ openrpc: string; methods: { name: string }[] }>(
      await call({ url: paymaster.url, method: 'rpc.discover' }),
    );
    expect(document.openrpc).toMatch(/^1\./);
    expect(document.methods.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        ...BICONOMY_METHODS,
        'pm_getPaymasterStubData',
        'pm_getPaymasterData',
        'pm_supportedEntryPoints',
        'pm_chainId',
      ]),
    );
  });
});

describe('address', () => {
  const ask = (path: string, headers?: Record<string, string>) =>
    call({
      url: `${stack.paymasterRpc}${path}`,
      headers,
      method: 'pm_sponsorUserOperation',
      params: [complete, AS_SENT],
    });

  it.each(['v1', 'v2'] as const)('/api/%s/{chainId}/{apiKey}', async (version) => {
    const url = gatewayUrl(stack, paymaster.apiKey, version);
    resultOf(await call({ url, method: 'pm_sponsorUserOperation', params: [complete, AS_SENT] }));
  });

  it('the URL version does not select the EntryPoint: a v0.7 operation at /api/v1', async () => {
    const account = await newSimpleAccount(stack, '0.7');
    const unpacked = await draftOperation(stack, account, { callData: execute({ to: demo, data: INCREMENT }) });
    const url = gatewayUrl(stack, paymaster.apiKey, 'v1');
    const answer = await call({ url, method: 'pm_sponsorUserOperation', params: [unpacked, SPONSORED] });
    expect(resultOf<SponsoredResult>(answer).paymaster?.toLowerCase()).toBe(stack.paymasters['0.7'].toLowerCase());
  });

  it.each([
    ['x-api-key', (key: string) => ({ 'x-api-key': key })],
    ['Authorization: Bearer', (key: string) => ({ authorization: `Bearer ${key}` })],
  ])('/api/v2/{chainId} and / with the key in %s', async (_name, header) => {
    resultOf(await ask(`/api/v2/${stack.chainId}`, header(paymaster.apiKey)));
    resultOf(await ask('/', header(paymaster.apiKey)));
  });

  it('/api/v2/{chainId} and / without a key: 401', async () => {
    expectRpcError(await ask(`/api/v2/${stack.chainId}`), { code: -32010 });
    expectRpcError(await ask('/'), { code: -32010 });
  });

  it('a key of another chain: 401', async () => {
    expectRpcError(await ask(`/api/v2/1/${paymaster.apiKey}`), { code: -32010 });
    expectRpcError(await ask('/api/v2/1', { 'x-api-key': paymaster.apiKey }), { code: -32010 });
  });

  it.each(['GET', 'PUT', 'DELETE', 'PATCH'])('%s: 405 with a JSON-RPC error body', async (method) => {
    const answer = await post({ url: paymaster.url, method, headers: {} });
    expectRpcError(answer, { code: -32600, http: 405 });
  });

  it('another media type: 415 with a JSON-RPC error body', async () => {
    const answer = await post({ url: paymaster.url, headers: { 'content-type': 'text/plain' }, body: '{}' });
    expectRpcError(answer, { code: -32600, http: 415 });
  });
});

describe('CORS', () => {
  const origin = 'https://dapp.example';
  const preflight = (url: string, from = origin) =>
    http({
      url,
      method: 'OPTIONS',
      headers: {
        origin: from,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,x-api-key,authorization',
      },
    });

  it('answers the preflight of any origin by default, and lets the answer be read', async () => {
    const answer = await preflight(paymaster.url);
    expect([200, 204]).toContain(answer.status);
    expect(['*', origin]).toContain(answer.headers.get('access-control-allow-origin'));
    expect(answer.headers.get('access-control-allow-methods')).toMatch(/POST/);
    const allowed = answer.headers.get('access-control-allow-headers')?.toLowerCase() ?? '';
    for (const header of ['content-type', 'x-api-key', 'authorization']) expect(allowed).toContain(header);

    const headers = { origin };
    const actual = await call({ url: paymaster.url, method: 'pm_chainId', headers });
    expect(['*', origin]).toContain(actual.headers.get('access-control-allow-origin'));
  });

  it('lets errors be read too', async () => {
    const answer = await call({ url: paymaster.url, method: 'pm_nothing', headers: { origin } });
    expect(['*', origin]).toContain(answer.headers.get('access-control-allow-origin'));
  });

  it('keeps to the allowedOrigins of a paymaster: no preflight and no result for another page', async () => {
    const own = await freshPaymaster(stack, { settings: { allowedOrigins: [origin] } });
    const allowed = await call({ url: own.url, method: 'pm_chainId', headers: { origin } });
    expect(resultOf(allowed)).toBe(numberToHex(stack.chainId));
    expect(allowed.headers.get('access-control-allow-origin')).toBe(origin);
    expect((await preflight(own.url)).headers.get('access-control-allow-origin')).toBe(origin);

    const evil = 'https://evil.example';
    expect((await preflight(own.url, evil)).headers.get('access-control-allow-origin')).toBeNull();
    const headers = { origin: evil };
    const params = [complete, AS_SENT];
    expectRpcError(await call({ url: own.url, method: 'pm_sponsorUserOperation', params, headers }), { code: -32501 });
  });
});
