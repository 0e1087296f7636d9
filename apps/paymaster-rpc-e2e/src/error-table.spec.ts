import { numberToHex } from 'viem';
import { readStack } from '@paymaster/devnet';
import { execute, executeBatch } from './support/call-data';
import { dashboardOk } from './support/dashboard-client';
import { add, INCREMENT, RESET } from './support/demo-contract';
import { eventually, OBEYED_MS, PATIENCE_MS } from './support/eventually';
import { expectErrorBody, expectRpcError } from './support/expect-rpc-error';
import { freshPaymaster, gatewayUrl, type FreshPaymaster } from './support/fresh-paymaster';
import { call, http, post, resultOf, type RpcAnswer, type RpcBody } from './support/json-rpc';
import { draftOperation, newSimpleAccount } from './support/simple-account';
import { AS_SENT, LIMITS, SPONSORED, BICONOMY_METHODS } from './support/sponsor';
import type { WireOperation } from './support/wire-operation';

const stack = readStack();
const { address: demo } = stack.demoContract;
const TOKEN = '0x00000000000000000000000000000000000000aa';

let paymaster: FreshPaymaster;
/** A v0.6 operation that is sponsored, with and without gas limits. */
let operation: WireOperation;
let complete: WireOperation;

beforeAll(async () => {
  paymaster = await freshPaymaster(stack);
  operation = await draft(execute({ to: demo, data: INCREMENT }));
  complete = { ...operation, ...LIMITS };
});

async function draft(callData: WireOperation['callData']): Promise<WireOperation> {
  return draftOperation(stack, await newSimpleAccount(stack, '0.6'), { callData });
}

/** A frame of `pm_getFeeQuoteOrData` for the good operation, with members replaced; undefined leaves one out. */
function frame(members: Record<string, unknown> = {}): Promise<RpcAnswer> {
  const body = { jsonrpc: '2.0', method: 'pm_getFeeQuoteOrData', id: 1, params: [complete, AS_SENT], ...members };
  return post({ url: paymaster.url, body: JSON.stringify(body) });
}

/** The good operation with a mode object of one's own. */
const withMode = (mode: unknown) => frame({ params: [complete, mode] });

describe('error table, one case per row', () => {
  const stub = (params: unknown[]) => call({ url: paymaster.url, method: 'pm_getPaymasterStubData', params });
  const erc7677 = (op: unknown) => [op, stack.entryPoints['0.6'], numberToHex(stack.chainId), null];
  const sponsor = (op: unknown, mode: unknown = AS_SENT, url = paymaster.url) =>
    call({ url, method: 'pm_sponsorUserOperation', params: [op, mode] });

  it('-32700 not JSON', async () => {
    const answer = await post({ url: paymaster.url, body: '{"jsonrpc"' });
    expectRpcError(answer, { code: -32700 });
    expect(answer.body.id).toBeNull();
  });

  it('-32600 not a request', async () => {
    expectRpcError(await post({ url: paymaster.url, body: '"hello"' }), { code: -32600 });
  });

  it('-32600 batch of more than 20', async () => {
    const entry = { jsonrpc: '2.0', id: 1, method: 'pm_chainId' };
    const answer = await post({ url: paymaster.url, body: JSON.stringify(Array(21).fill(entry)) });
    expectRpcError(answer, { code: -32600 });
  });

  it('-32601 unknown method', async () => {
    const answer = await call({ url: paymaster.url, method: 'pm_nothing' });
    // The table has a status for each dialect; an unknown method belongs to none.
    expectRpcError(answer, { code: -32601, http: answer.status === 200 ? 200 : 400 });
  });

  it.each(BICONOMY_METHODS)('-32602 names the field, HTTP 400 in %s', async (method) => {
    const answer = await call({ url: paymaster.url, method, params: [{ ...complete, nonce: 'x' }, AS_SENT] });
    expectRpcError(answer, { code: -32602, message: /nonce/ });
  });

  it('-32602 names the field, HTTP 200 in ERC-7677', async () => {
    const answer = await stub(erc7677({ ...complete, nonce: 'x' }));
    expectRpcError(answer, { code: -32602, dialect: 'ERC-7677', message: /nonce/ });
  });

  it('-32602 chain mismatch, unknown EntryPoint', async () => {
    const otherChain = await stub([complete, stack.entryPoints['0.6'], '0x1', null]);
    expectRpcError(otherChain, { code: -32602, dialect: 'ERC-7677', message: /chain/i });
    const otherEntryPoint = await stub([complete, TOKEN, numberToHex(stack.chainId), null]);
    expectRpcError(otherEntryPoint, { code: -32602, dialect: 'ERC-7677', message: /entry ?point/i });
  });

  it('-32010 unknown key, HTTP 401 in both dialects', async () => {
    const url = gatewayUrl(stack, 'AAAAAAAAA.00000000-0000-4000-8000-000000000000');
    expectRpcError(await sponsor(complete, AS_SENT, url), { code: -32010 });
    const params = erc7677(complete);
    expectRpcError(await call({ url, method: 'pm_getPaymasterData', params }), { code: -32010, dialect: 'ERC-7677' });
  });

  it.each(['x', '%00', "' OR 1=1 --", 'key.with.dots', 'k'.repeat(101), 'k'.repeat(500)])(
    '-32010 the key %j, which is none',
    async (key) => {
      const answer = await sponsor(complete, AS_SENT, gatewayUrl(stack, encodeURIComponent(key)));
      expectRpcError(answer, { code: -32010 });
    },
  );

  it('-32501 method not whitelisted: HTTP 400 for Biconomy, 200 for ERC-7677', async () => {
    const refused = { ...(await draft(execute({ to: demo, data: RESET }))), ...LIMITS };
    expectRpcError(await sponsor(refused), { code: -32501, message: /whitelist/i });
    expectRpcError(await stub(erc7677(refused)), { code: -32501, dialect: 'ERC-7677', message: /whitelist/i });
  });

  it('-32501 contract not registered: says "Smart contract data not found"', async () => {
    const refused = { ...(await draft(execute({ to: TOKEN, data: INCREMENT }))), ...LIMITS };
    expectRpcError(await sponsor(refused), { code: -32501, message: /Smart contract data not found/ });
  });

  it('-32501 nothing whitelisted: says "No policies were set"', async () => {
    const { url } = await freshPaymaster(stack, { methods: null });
    expectRpcError(await sponsor(complete, AS_SENT, url), { code: -32501, message: /No policies were set/ });
  });

  it('-32508 no funding wallet: HTTP 400 for Biconomy, 200 for ERC-7677', async () => {
    const { url } = await freshPaymaster(stack, { funded: false });
    expectRpcError(await sponsor(complete, AS_SENT, url), { code: -32508 });
    const params = erc7677(complete);
    expectRpcError(await call({ url, method: 'pm_getPaymasterData', params }), { code: -32508, dialect: 'ERC-7677' });
  });

  it('-32508 a funding wallet that cannot cover the precharge', async () => {
    const { url } = await freshPaymaster(stack, { depositsWei: { '0.6': 1n } });
    expectRpcError(await sponsor(complete, AS_SENT, url), { code: -32508 });
    expectRpcError(await sponsor(operation, SPONSORED, url), { code: -32508 });
  });

  it('-32500 simulation of validation failed: an initCode that deploys another account', async () => {
    const sender = `0x${'5e'.repeat(20)}` as const;
    const answer = await sponsor({ ...operation, sender }, SPONSORED);
    expectRpcError(answer, { code: -32500, message: /AA14/ });

    const unestimated = { callGasLimit: '0x0', verificationGasLimit: '0x0', preVerificationGas: '0x0' };
    const params = [
      { ...operation, ...unestimated, sender },
      stack.entryPoints['0.6'],
      numberToHex(stack.chainId),
      SPONSORED,
    ];
    const standard = await call({ url: paymaster.url, method: 'pm_getPaymasterData', params });
    expectRpcError(standard, { code: -32500, dialect: 'ERC-7677', message: /AA14/ });
  });

  it('-32521 simulation of execution failed: the sponsored call reverts', async () => {
    const calls = [INCREMENT, add(2n ** 256n - 1n)].map((data) => ({ to: demo, data }));
    const answer = await sponsor(await draft(executeBatch('0.6', calls)), SPONSORED);
    expectRpcError(answer, { code: -32521 });
  });

  it('-32005 too many requests of one key: HTTP 429 with Retry-After, and other keys go on', async () => {
    const { url } = await freshPaymaster(stack);
    resultOf(await call({ url, method: 'pm_chainId' }));
    // Each entry of a batch counts: ten batches a second reach the limit, which any machine can do.
    const batch = JSON.stringify(Array(20).fill({ jsonrpc: '2.0', id: 1, method: 'pm_chainId' }));
    const refused = await eventually(PATIENCE_MS, async () => {
      const wave = await Promise.all(Array.from({ length: 60 }, () => http({ url, body: batch })));
      for (const { status } of wave) expect([200, 429]).toContain(status);
      const [first] = wave.filter(({ status }) => status === 429);
      if (!first) throw new Error('nothing was refused');
      return first;
    });
    for (const body of JSON.parse(refused.text) as RpcBody[]) expectErrorBody(body, { code: -32005 });

    resultOf(await call({ url: paymaster.url, method: 'pm_chainId' }));
    const seconds = Number(refused.headers.get('retry-after'));
    expect([1, 2]).toContain(seconds);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    resultOf(await call({ url, method: 'pm_chainId' }));
  });

  it('a refusal keeps limits and trace to itself until the owner switches explainToClients on', async () => {
    const refused = { ...(await draft(execute({ to: demo, data: RESET }))), ...LIMITS };
    const own = await freshPaymaster(stack);
    const quiet = expectErrorBody((await sponsor(refused, AS_SENT, own.url)).body, { code: -32501 });
    expect(quiet.data).not.toHaveProperty('trace');

    const settings = { method: 'PATCH', path: '/paymaster-settings', apiKey: own.apiKey } as const;
    await dashboardOk(stack, { ...settings, body: { explainToClients: true } });
    const loud = await eventually(OBEYED_MS, async () => {
      const error = expectErrorBody((await sponsor(refused, AS_SENT, own.url)).body, { code: -32501 });
      expect(error.data).toHaveProperty('trace');
      return error;
    });
    expect(loud.data?.['trace']).toEqual(
      expect.arrayContaining([expect.objectContaining({ rule: expect.any(String), outcome: 'refuse' })]),
    );
  });

  it('no error repeats the key', async () => {
    const { apiKey } = paymaster;
    const answers = [
      await frame({ method: 'pm_nothing' }),
      await withMode({}),
      await post({ url: paymaster.url, body: '{' }),
      await sponsor(complete, AS_SENT, `${stack.paymasterRpc}/api/v2/1/${apiKey}`),
      await sponsor(complete, AS_SENT, `${stack.paymasterRpc}/api/v9/${stack.chainId}/${apiKey}`),
      await sponsor(complete, AS_SENT, gatewayUrl(stack, apiKey.repeat(10))),
    ];
    for (const { text } of answers) expect(text).not.toContain(apiKey);
  });
});
