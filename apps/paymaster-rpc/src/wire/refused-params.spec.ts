import { CANONICAL_ENTRY_POINTS, InvalidParamsError } from '@paymaster/domain';
import { NO_SPAN } from '@paymaster/tracing';
import { NO_DEADLINE } from '@paymaster/turns';
import { DIALECTS } from './dialects/index';
import { JsonRpcServer } from './json-rpc/json-rpc.server';
import { MethodRegistry } from './json-rpc/method-registry';
import type { Dialect, JsonSchema, RpcMethod } from './json-rpc/rpc-method';
import { CONTRACT, exampleCaller, MINT_CALL, STRANGER } from '../testing/examples/example-world';
import { sponsoredMode, wireOperationV07 } from '../testing/rpc-call';
import { erc20Mode } from '../testing/token-call';

const meter = { failed: jest.fn(), refused: jest.fn(), succeeded: jest.fn() };
/** The modes for which the code asked for a meter. */
const counted: string[] = [];
const metrics = {
  inFlight: 0,
  withoutMethod: meter,
  meter: (_method: string, mode: string) => (counted.push(mode), meter),
} as never;

/** The answer to a request that is refused before the rest of the gateway is asked. */
async function answerTo(
  method: string,
  params: unknown,
  { explainToClients = false, dialects = DIALECTS }: { explainToClients?: boolean; dialects?: readonly Dialect[] } = {},
) {
  const callers = { identify: async () => exampleCaller({ explainToClients }), assertMayAskWithoutKey: jest.fn() };
  const server = new JsonRpcServer(
    new MethodRegistry(dialects, metrics),
    ...([undefined, callers, { failed: jest.fn() }, metrics, { serve: () => NO_SPAN }, undefined] as unknown as [
      never,
      never,
      never,
      never,
      never,
      never,
    ]),
  );
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  const frame = { requestId: 'r', credentials: {} as never, origin: undefined, clientAddress: undefined };
  const { status, body: text } = await server.handle(body, frame, NO_DEADLINE);
  const { error } = JSON.parse(text) as { error: { code: number; message: string; data: Record<string, unknown> } };
  return [status, error.code, error.data['reason'], error.message];
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
    ['nothing said of the mode', [OPERATION, {}], 'params[1].mode is missing; send SPONSORED or ERC20.'],
    [
      'a mode of another name',
      [OPERATION, STRANGER, { mode: 'payg' }],
      'params[2].mode must be one of SPONSORED, SPONSORSHIP, ERC20.',
    ],
    [
      'a validity below zero',
      [OPERATION, STRANGER, sponsoredMode({ expiryDuration: -300 })],
      ENTRY_POINT('params[2].expiryDuration'),
    ],
    [
      'a token beside its mode',
      [OPERATION, STRANGER, { mode: 'ERC20', token: CONTRACT }],
      'params[2].tokenInfo is missing.',
    ],
    [
      'a mode without its object',
      [OPERATION, STRANGER, { mode: 'SPONSORED', policyId: 'x' }],
      'params[2].sponsorshipInfo is missing.',
    ],
    [
      'an object that is none',
      [OPERATION, STRANGER, { tokenInfo: 'x' }],
      'params[2].tokenInfo must be an object with preferredToken and tokenList.',
    ],
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
    expect(await answerTo(method, params, { explainToClients: true })).toEqual([...INVALID, message]);
  });
});

it.each(['pm_getFeeQuoteOrData', 'pm_explain'])('%s refuses an EntryPoint without a mode', async (method) => {
  const sentence = 'params[2].mode is missing; send SPONSORED or ERC20.';
  for (const behind of [[], [{}], [{ type: 'payg' }]]) {
    const answer = await answerTo(method, [OPERATION, STRANGER, ...behind], { explainToClients: true });
    expect(answer).toEqual([...INVALID, sentence]);
  }
});

describe('pm_sponsorUserOperation without a mode refuses', () => {
  const IGNORED = "Its owner can set ignoreForeignPolicyIds to have ids of other vendors' policies ignored.";
  const SERVED = CANONICAL_ENTRY_POINTS['0.7'];
  const beside = (context: object): unknown => [OPERATION, SERVED, context];

  it.each<[string, unknown, unknown]>([
    ['an EntryPoint that is not served', [OPERATION, STRANGER], ENTRY_POINT('params[1]')],
    ['an EntryPoint that is not served, with null', [OPERATION, STRANGER, null], ENTRY_POINT('params[1]')],
    [
      'a wrong context before its EntryPoint',
      [OPERATION, STRANGER, { type: 'erc20token' }],
      'params[2].token is missing.',
    ],
    ['payment in no token', beside({ type: 'erc20token', token: null }), 'params[2].token is missing.'],
    [
      'a token that is pay-as-you-go',
      beside({ type: 'payg', token: STRANGER }),
      'params[2].type must be erc20token, or left out, beside token.',
    ],
    [
      'a policy that it does not have',
      beside({ policyId: 'x' }),
      `params[2].policyId must be the id of a sponsorship policy of this paymaster. ${IGNORED}`,
    ],
    [
      'one by the other name',
      beside({ sponsorshipPolicyId: '' }),
      `params[2].sponsorshipPolicyId must be the id of a sponsorship policy of this paymaster. ${IGNORED}`,
    ],
    [
      'a policy beside a token',
      beside({ sponsorshipPolicyId: 'x', token: STRANGER }),
      'params[2].sponsorshipPolicyId is not taken beside token: the sender pays.',
    ],
    ['mixed fields of its operation', [MIXED, SERVED], ENTRY_POINT('params[0].factoryData')],
    ['too short a validity', beside({ expiryDuration: 1 }), EXPIRY(2)],
  ])('%s, with HTTP 200', async (_title, params, message) => {
    expect(await answerTo('pm_sponsorUserOperation', params)).toEqual([...INVALID_OF_ERC7677, message]);
  });

  it.each<[string, unknown, string]>([
    ['a context that is none', [OPERATION, SERVED, 'x'], 'params[2] must be an object with the mode.'],
    [
      'a policy id that is no text',
      beside({ sponsorshipPolicyId: 5 }),
      'params[2].sponsorshipPolicyId must be the id of a sponsorship policy.',
    ],
    ['a type that is not known', beside({ type: 'ERC20' }), 'params[2].type must be one of payg, erc20token.'],
    [
      'a validity of a minute',
      beside({ validForSeconds: 60 }),
      'params[2].validForSeconds must be a number of seconds, at least 120.',
    ],
    [
      'a token that is no address',
      beside({ token: '0x12' }),
      'params[2].token must be an address: 0x and 40 hex digits.',
    ],
    ['an operation without fees', [{ ...OPERATION, maxFeePerGas: undefined }, SERVED], 'params[0] lacks maxFeePerGas.'],
  ])('%s, as what no dialect takes', async (_title, params, message) => {
    expect(await answerTo('pm_sponsorUserOperation', params)).toEqual([...INVALID, message]);
  });
});

describe('pm_explain alone refuses', () => {
  it('a client of a paymaster without explanations: after the schema, before the mode', async () => {
    const off = 'This paymaster does not explain its decisions to clients.';
    expect(await answerTo('pm_explain', [OPERATION, TOO_SHORT])).toEqual([400, -32501, 'EXPLANATIONS_OFF', off]);
    expect(await answerTo('pm_explain', [OPERATION])).toEqual([...INVALID, COUNT]);
  });

  it('token payments after it has read the operation', async () => {
    const sentence = 'pm_explain explains sponsorship, not token payments.';
    expect(await answerTo('pm_explain', [OPERATION, erc20Mode({})], { explainToClients: true })).toEqual([
      ...INVALID,
      sentence,
    ]);
    const [, , , message] = await answerTo('pm_explain', [MIXED, erc20Mode({})], { explainToClients: true });
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

it.each(['pm_chainId', 'eth_chainId', 'pm_supportedEntryPoints', 'pm_supportedERC20Tokens'])(
  '%s refuses parameters that it does not know with HTTP 200',
  async (method) => {
    const [status, code] = await answerTo(method, ['x', 'y']);
    expect([status, code]).toEqual([200, -32602]);
  },
);

describe('dialects that share a name', () => {
  const parse = jest.fn<never, [string]>((dialect) => {
    throw new InvalidParamsError('params', `read by ${dialect}`);
  });
  const param = (name: string, schema: JsonSchema) => ({ name, required: true, schema });
  const dialect = (name: string, decisionStatus: number, second: JsonSchema): Dialect => {
    const method: RpcMethod = {
      ...{ name: 'pm_shared', summary: '', result: { name: 'result', schema: {} }, refusals: [] },
      params: [param('first', { type: 'object', description: 'an object' }), param('second', second)],
      parse: () => parse(name),
      answer: () => undefined,
    };
    return { name, errors: { decisionStatus }, methods: [method] };
  };
  const addressee = { required: ['to'], type: 'object', description: 'an object', properties: { to: { type: 'string', description: 'text' } } }; // prettier-ignore
  const dialects = [
    dialect('one', 400, { type: 'integer', description: 'a number' }),
    dialect('two', 200, addressee),
    dialect('three', 200, { description: 'anything' }),
  ];
  const ask = (params: unknown, asked = dialects) => answerTo('pm_shared', params, { dialects: asked });

  it.each<[string, number, unknown]>([
    ['one', 400, 1],
    ['two', 200, { to: 'x' }],
    ['three', 200, 'neither'],
  ])(
    'have it read by the first whose schema takes it, once, and answered in its manner: %s',
    async (name, status, sent) => {
      parse.mockClear();
      expect(await ask([{}, sent])).toEqual([status, -32602, 'INVALID_PARAMS', `read by ${name}`]);
      expect(parse).toHaveBeenCalledTimes(1);
    },
  );

  it('refuse what none of them takes in the manner of the first, naming the field that comes furthest', async () => {
    const two = dialects.slice(0, 2);
    expect(await ask([{}, { to: 5 }], two)).toEqual([400, -32602, 'INVALID_PARAMS', 'params[1].to must be text.']);
    expect(await ask([{}, { to: 5 }], [...two].reverse())).toEqual([200, -32602, 'INVALID_PARAMS', 'params[1].to must be text.']); // prettier-ignore
    expect(await ask(['x', 1], two)).toEqual([400, -32602, 'INVALID_PARAMS', 'params[0] must be an object.']);
  });
});

describe('a request is counted', () => {
  it.each<[string, unknown, string[]]>([
    ['as of no mode where its mode cannot be read', [OPERATION, TOO_SHORT], ['none']],
    ['in the mode that was read', [wireOperationV07(MINT_CALL), sponsoredMode()], ['none', 'sponsored']],
    ['in token mode', [wireOperationV07(MINT_CALL), erc20Mode({})], ['none', 'token']],
  ])('%s', async (_title, params, modes) => {
    counted.length = 0;
    await answerTo('pm_sponsorUserOperation', params);
    expect(counted).toEqual(modes);
  });
});
