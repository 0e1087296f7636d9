import { readStack } from '@paymaster/devnet';
import { execute } from './support/call-data';
import { INCREMENT } from './support/demo-contract';
import { expectRpcError } from './support/expect-rpc-error';
import { freshPaymaster, type FreshPaymaster } from './support/fresh-paymaster';
import { call, post, resultOf, type RpcAnswer, type SponsoredResult } from './support/json-rpc';
import { draftOperation, newSimpleAccount } from './support/simple-account';
import { AS_SENT, LIMITS, packPaymasterAndData, SPONSORED, BICONOMY_METHODS } from './support/sponsor';
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

describe('part A, request body', () => {
  it.each(['2.0', '2.0.0'])('jsonrpc: "%s" is accepted, the answer says "2.0"', async (jsonrpc) => {
    const answer = await frame({ jsonrpc });
    resultOf(answer);
    expect(answer.body.jsonrpc).toBe('2.0');
  });

  it('jsonrpc: required', async () => {
    expectRpcError(await frame({ jsonrpc: undefined }), { code: -32600 });
  });

  it('method: required', async () => {
    expectRpcError(await frame({ method: undefined }), { code: -32600 });
  });

  it('id: required; a request without it is refused and nothing is signed', async () => {
    const answer = await frame({ id: undefined });
    expectRpcError(answer, { code: -32600 });
    expect(answer.body.id).toBeNull();
    expect(answer.text).not.toMatch(/paymasterAndData|paymasterData/);
  });

  it.each([1, 1795225585, 'a-client-chosen-id', '1', null])('id: %j is echoed with its type', async (id) => {
    const answer = await frame({ id });
    resultOf(answer);
    expect(answer.body.id).toBe(id);
  });

  it('id: echoed in errors too', async () => {
    expect((await frame({ id: 'e', method: 'pm_nothing' })).body.id).toBe('e');
    expect((await withMode({ mode: 'HYBRID' })).body.id).toBe(1);
  });

  it('params: required', async () => {
    expectRpcError(await frame({ params: undefined }), { code: -32602 });
  });

  it('params: an array, not an object', async () => {
    expectRpcError(await frame({ params: { userOp: complete, mode: AS_SENT } }), { code: [-32600, -32602] });
  });

  it('params[0]: required, an object', async () => {
    expectRpcError(await frame({ params: [] }), { code: -32602 });
    expectRpcError(await frame({ params: [null, AS_SENT] }), { code: -32602, message: /params\[0\]/ });
  });

  it('params[1]: required, an object', async () => {
    expectRpcError(await frame({ params: [complete] }), { code: -32602, message: /params.*mode/ });
    expectRpcError(await frame({ params: [complete, 7] }), { code: -32602, message: /params\[1\]/ });
  });
});

describe.each(BICONOMY_METHODS)('part A, sponsored mode, %s', (method) => {
  it.each(['SPONSORED', 'SPONSORSHIP'])('mode: "%s" is accepted and comes back in MODE and mode', async (mode) => {
    const answer = await call({ url: paymaster.url, method, params: [operation, { ...SPONSORED, mode }] });
    expect(resultOf(answer)).toEqual({
      MODE: mode,
      mode,
      paymasterAndData: expect.stringMatching(/^0x[0-9a-f]+$/),
      preVerificationGas: expect.stringMatching(/^[1-9][0-9]*$/),
      verificationGasLimit: expect.any(Number),
      callGasLimit: expect.any(Number),
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  });

  it.each(['0.7', '0.8', '0.9'] as const)(
    'a v%s operation also gets the unpacked paymaster fields, as hex',
    async (version) => {
      const account = await newSimpleAccount(stack, version);
      const unpacked = await draftOperation(stack, account, { callData: execute({ to: demo, data: INCREMENT }) });
      // Later operations look like v0.7 ones: the EntryPoint is told as the second parameter.
      const params = version === '0.7' ? [unpacked, SPONSORED] : [unpacked, stack.entryPoints[version], SPONSORED];
      const result = resultOf<SponsoredResult>(await call({ url: paymaster.url, method, params }));
      expect(result).toMatchObject({
        MODE: 'SPONSORED',
        paymaster: expect.stringMatching(new RegExp(`^${stack.paymasters[version]}$`, 'i')),
        paymasterData: expect.stringMatching(version === '0.9' ? /^0x[0-9a-f]{82}$/ : /^0x[0-9a-f]{212}$/),
        ...(version === '0.9' && { paymasterSignature: expect.stringMatching(/^0x[0-9a-f]{130}$/) }),
        paymasterVerificationGasLimit: expect.stringMatching(/^0x[1-9a-f][0-9a-f]*$/),
        paymasterPostOpGasLimit: expect.stringMatching(/^0x[1-9a-f][0-9a-f]*$/),
      });
      expect(result.paymasterAndData).toBe(packPaymasterAndData(result as Required<SponsoredResult>).toLowerCase());
    },
  );

  it('calculateGasLimits true: limits are calculated', async () => {
    const tiny = { ...operation, callGasLimit: '0x1', verificationGasLimit: '0x1', preVerificationGas: '0x1' };
    const answer = await call({ url: paymaster.url, method, params: [tiny, SPONSORED] });
    const { callGasLimit, verificationGasLimit, preVerificationGas } = resultOf<SponsoredResult>(answer);
    for (const limit of [callGasLimit, verificationGasLimit, Number(preVerificationGas)]) {
      expect(limit).toBeGreaterThan(20_000);
    }
  });

  it('calculateGasLimits missing: means true', async () => {
    const { calculateGasLimits: _, ...mode } = SPONSORED;
    const answer = await call({ url: paymaster.url, method, params: [operation, mode] });
    expect(resultOf<SponsoredResult>(answer).callGasLimit).toBeGreaterThan(20_000);
  });

  it('calculateGasLimits false: the limits come back as they were sent', async () => {
    const answer = await call({ url: paymaster.url, method, params: [complete, AS_SENT] });
    expect(resultOf(answer)).toMatchObject({
      callGasLimit: Number(LIMITS.callGasLimit),
      verificationGasLimit: Number(LIMITS.verificationGasLimit),
      preVerificationGas: String(Number(LIMITS.preVerificationGas)),
    });
  });
});

describe('part A, mode object', () => {
  const { sponsorshipInfo } = AS_SENT;

  it('mode missing: means SPONSORED when sponsorshipInfo is there', async () => {
    const { mode: _, ...rest } = AS_SENT;
    expect(resultOf(await withMode(rest))).toMatchObject({ MODE: 'SPONSORED', mode: 'SPONSORED' });
  });

  it('mode missing with neither object: names mode', async () => {
    expectRpcError(await withMode({}), { code: -32602, message: /\bmode\b/ });
  });

  it.each(['HYBRID', 'sponsored', '', 'SPONSORED '])('mode %j: names mode', async (mode) => {
    expectRpcError(await withMode({ ...AS_SENT, mode }), { code: -32602, message: /\bmode\b/ });
  });

  it('sponsorshipInfo: mandatory in sponsored mode', async () => {
    expectRpcError(await withMode({ mode: 'SPONSORED' }), { code: -32602, message: /sponsorshipInfo/ });
  });

  it('sponsorshipInfo.webhookData: its inner fields are open', async () => {
    const webhookData = { order: { id: 7, lines: ['a', null, { deep: true }] } };
    resultOf(await withMode({ ...AS_SENT, sponsorshipInfo: { ...sponsorshipInfo, webhookData } }));
  });

  it('sponsorshipInfo.webhookData: real clients leave it out', async () => {
    const { smartAccountInfo } = sponsorshipInfo;
    resultOf(await withMode({ ...AS_SENT, sponsorshipInfo: { smartAccountInfo } }));
  });

  it('sponsorshipInfo.smartAccountInfo: mandatory', async () => {
    const answer = await withMode({ ...AS_SENT, sponsorshipInfo: { webhookData: {} } });
    expectRpcError(answer, { code: -32602, message: /smartAccountInfo/ });
  });

  it.each([
    ['INFINITISM', '1.0.0'],
    ['INFINITSM', '1.0.0'],
  ])('sponsorshipInfo.smartAccountInfo: %s %s is known', async (name, version) => {
    resultOf(await withMode({ ...AS_SENT, sponsorshipInfo: { smartAccountInfo: { name, version } } }));
  });

  it.each([
    ['BICONOMY', '1.0.0'],
    ['BICONOMY', '2.0.0'],
    ['SAFE', '1.4.1'],
  ])(
    "sponsorshipInfo.smartAccountInfo: %s %s is known; another account kind's call data is not",
    async (name, version) => {
      // A decoding hint: either the hint is not taken literally, or the call data is not what that account executes.
      const answer = await withMode({ ...AS_SENT, sponsorshipInfo: { smartAccountInfo: { name, version } } });
      if (answer.body.error) expectRpcError(answer, { code: -32501 });
      else resultOf(answer);
    },
  );

  it('sponsorshipInfo.smartAccountInfo.name: an unknown one is refused, the known ones are named', async () => {
    const answer = await withMode({
      ...AS_SENT,
      sponsorshipInfo: { smartAccountInfo: { name: 'ACME', version: '1.0.0' } },
    });
    expectRpcError(answer, { code: -32602, message: /BICONOMY.*INFINITISM.*SAFE/ });
  });

  it('sponsorshipInfo.smartAccountInfo.version: an unknown one is refused', async () => {
    const answer = await withMode({
      ...AS_SENT,
      sponsorshipInfo: { smartAccountInfo: { name: 'INFINITISM', version: '9.9.9' } },
    });
    expectRpcError(answer, { code: -32602, message: /version/ });
  });

  it('tokenInfo beside sponsorshipInfo, as SDKs send it, is accepted', async () => {
    resultOf(await withMode({ ...AS_SENT, tokenInfo: {} }));
    resultOf(await withMode({ ...AS_SENT, tokenInfo: { tokenList: [TOKEN], preferredToken: TOKEN } }));
  });
});
