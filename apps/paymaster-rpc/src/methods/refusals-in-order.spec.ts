import { NO_DEADLINE } from '@paymaster/domain';
import { NO_SPAN } from '@paymaster/tracing';
import { JsonRpcServer } from '../json-rpc/json-rpc.server';
import { MethodRegistry } from '../json-rpc/method-registry';
import { CONTRACT, exampleCaller, MINT_CALL, STRANGER } from '../testing/examples/example-world';
import { sponsoredMode, wireOperationV07 } from '../testing/rpc-call';
import { erc20Mode } from '../testing/token-call';
import { undressedMethods } from '.';

const meter = { failed: jest.fn(), refused: jest.fn(), succeeded: jest.fn() };
const metrics = { inFlight: 0, withoutMethod: meter, meter: () => meter } as never;

/** What a client is answered whose request is refused before anything is asked of the rest of the gateway. */
async function answerTo(method: string, params: unknown, explainToClients = false) {
  const callers = { identify: async () => exampleCaller({ explainToClients }), assertMayAskWithoutKey: jest.fn() };
  const server = new JsonRpcServer(
    new MethodRegistry(undressedMethods(), metrics),
    ...([callers, { failed: jest.fn() }, metrics, { serve: () => NO_SPAN }] as unknown as [never, never, never, never]),
  );
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  const frame = { requestId: 'r', credentials: {} as never, origin: undefined, clientAddress: undefined };
  const { status, body: text } = await server.handle(body, frame, NO_DEADLINE);
  const { error } = JSON.parse(text) as { error: { code: number; message: string; data: { reason: string } } };
  return [status, error.code, error.data.reason, error.message];
}

const OPERATION = wireOperationV07(MINT_CALL);
const MIXED = { ...OPERATION, initCode: '0x', factoryData: '0x12' };
const TOO_SHORT = sponsoredMode({ expiryDuration: 1 });
const CHAIN = '0xaa36a7';
const INVALID = [400, -32602, 'INVALID_PARAMS'] as const;
const INVALID_OF_ERC7677 = [200, -32602, 'INVALID_PARAMS'] as const;

const SHAPE = 'params must be an array of 2 elements (userOperation, mode).';
const COUNT = 'params must be an array of 2 to 3 elements (userOperation, mode, modeAfterEntryPoint).';
const EXPIRY = (position: number) =>
  `params[${position}].expiryDuration must be at least 120 seconds, or 0 for the default.`;
const ENTRY_POINT = (field: string) => expect.stringMatching(`^${field.replace(/[[\]]/g, '\\$&')} `) as string;

describe.each(['pm_getFeeQuoteOrData', 'pm_sponsorUserOperation', 'pm_explain'])('%s refuses', (method) => {
  it.each<[string, unknown, string]>([
    ['params by name', { userOperation: OPERATION }, COUNT],
    ['one parameter', [OPERATION], COUNT],
    ['four parameters', [OPERATION, STRANGER, sponsoredMode(), null], COUNT],
    ['a second mode before it reads the first', [OPERATION, TOO_SHORT, sponsoredMode()], SHAPE],
    ['an EntryPoint without a mode', [OPERATION, STRANGER], 'params[2].mode is missing; send SPONSORED or ERC20.'],
    ['a wrong mode before its operation', [MIXED, TOO_SHORT], EXPIRY(1)],
    ['a wrong mode before its EntryPoint', [OPERATION, STRANGER, TOO_SHORT], EXPIRY(2)],
    ['an EntryPoint that is not served', [OPERATION, STRANGER, sponsoredMode()], ENTRY_POINT('params[1]')],
    [
      'an EntryPoint in the mode that is not served',
      [OPERATION, sponsoredMode({ entryPoint: CONTRACT })],
      ENTRY_POINT('params[1].entryPoint'),
    ],
    [
      'a token list before it looks for the mode',
      [OPERATION, { tokenInfo: { tokenList: 'x' } }],
      ENTRY_POINT('params[1].tokenInfo.tokenList'),
    ],
  ])('%s', async (_title, params, message) => {
    expect(await answerTo(method, params, true)).toEqual([...INVALID, message]);
  });
});

describe('pm_explain alone refuses', () => {
  it('a client of a paymaster that explains nothing: after the schema, before the mode', async () => {
    const off = 'This paymaster does not explain its decisions to clients.';
    expect(await answerTo('pm_explain', [OPERATION, TOO_SHORT])).toEqual([400, -32501, 'EXPLANATIONS_OFF', off]);
    expect(await answerTo('pm_explain', [OPERATION])).toEqual([...INVALID, COUNT]);
  });

  it('token payments after it has read the operation', async () => {
    const sentence = 'pm_explain explains sponsorship, not token payments.';
    expect(await answerTo('pm_explain', [OPERATION, erc20Mode({})], true)).toEqual([...INVALID, sentence]);
    const [, , , message] = await answerTo('pm_explain', [MIXED, erc20Mode({})], true);
    expect(message).toMatch(/^params\[0\]/);
  });
});

describe.each(['pm_getPaymasterStubData', 'pm_getPaymasterData'])('%s refuses', (method) => {
  it('another chain before it reads the context', async () => {
    const sentence = 'params[2] names chain 1, but the API key is for chain 11155111.';
    const answer = await answerTo(method, [MIXED, STRANGER, 1, TOO_SHORT]);
    expect(answer).toEqual([200, -32602, 'CHAIN_MISMATCH', sentence]);
  });

  it.each<[string, unknown, string]>([
    ['a context before its EntryPoint', [OPERATION, STRANGER, CHAIN, TOO_SHORT], EXPIRY(3)],
    ['an EntryPoint before its operation', [MIXED, STRANGER, CHAIN], ENTRY_POINT('params[1]')],
    [
      'a token beside a mode',
      [OPERATION, STRANGER, CHAIN, { token: STRANGER, mode: 'SPONSORED' }],
      'params[3].mode must be ERC20, or left out, beside token.',
    ],
    [
      'two parameters',
      [OPERATION, STRANGER],
      'params must be an array of 3 to 4 elements (userOperation, entryPoint, chainId, context).',
    ],
  ])('%s', async (_title, params, message) => {
    expect(await answerTo(method, params)).toEqual([...INVALID_OF_ERC7677, message]);
  });
});

it.each(['pm_chainId', 'pm_supportedEntryPoints', 'pm_supportedERC20Tokens'])(
  '%s refuses parameters that it does not know with HTTP 200',
  async (method) => {
    const [status, code] = await answerTo(method, ['x', 'y']);
    expect([status, code]).toEqual([200, -32602]);
  },
);
