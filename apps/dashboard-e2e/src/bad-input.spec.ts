import { CANONICAL_ENTRY_POINTS, ZERO_ADDRESS } from '@paymaster/domain';
import { freshAccount } from './support/account';
import { call } from './support/dashboard-client';
import {
  contractBody,
  expectRefusal,
  freshContract,
  freshPaymaster,
  listContracts,
  only,
  paymasterBody,
  type ContractRecord,
  type Keys,
  type PaymasterRecord,
} from './support/fixtures';
import { leavingNoTrace } from './support/unchanged';

const NAME_LENGTH = 'name must be 1 to 100 characters long';
const CONTROL = 'name must not contain control characters';
const ADDRESS = 'address must be an address: 0x and 40 hexadecimal digits';
const ORIGIN =
  'must be * or an origin as browsers send it, such as https://app.example.org: lower case, no path, no default port';
const ICON =
  'sponsorIcon must be a PNG, JPEG, GIF or WebP image as data:image/…;base64,… of at most 8192 characters, or null';
const VERSIONS = 'version must be one of the following values: 1.0.0, 1.1.0, 2.0.0';

let authToken: string;
let keys: Keys;
beforeAll(async () => {
  ({ authToken } = await freshAccount());
  keys = only(await freshPaymaster(authToken));
});

/** Bad-input corpus, C7: what each route does with what it must not take. Nothing of it changes anything. */
describe('2 create paymaster', () => {
  const create = (body: object) => call<PaymasterRecord>({ method: 'POST', path: '/paymaster', authToken, body });

  it.each<[string, object, string]>([
    ['no name', { name: undefined }, 'name must be a string'],
    ['a number as name', { name: 7 }, 'name must be a string'],
    ['an empty name', { name: '' }, NAME_LENGTH],
    ['a name of spaces', { name: '   ' }, NAME_LENGTH],
    ['a name of 256 characters', { name: 'a'.repeat(256) }, NAME_LENGTH],
    ['a name with a line break', { name: 'Nice\nPaymaster: another' }, CONTROL],
    ['a name with NUL', { name: 'a\u0000b' }, CONTROL],
    ['a name that changes direction', { name: 'a\u202eb' }, CONTROL],
    ['a name with a zero-width space', { name: 'a\u200bb' }, CONTROL],
    ['a chainId as text', { chainId: '80001' }, 'chainId must be an integer number'],
    ['no chainId', { chainId: undefined }, 'chainId must be an integer number'],
    ['a fractional chainId', { chainId: 1.5 }, 'chainId must be an integer number'],
    ['chainId 0', { chainId: 0 }, 'Chain ID not supported'],
    ['chainId -1', { chainId: -1 }, 'Chain ID not supported'],
    ['chainId 2^53', { chainId: 2 ** 53 }, 'Chain ID not supported'],
    ['type SPONSORSHIP', { type: 'SPONSORSHIP' }, 'type must be one of the following values: HYBRID'],
    ['no version', { version: undefined }, 'version must be a string'],
    ['version null', { version: null }, 'version must be a string'],
    ['version 9.9.9', { version: '9.9.9' }, VERSIONS],
  ])('refuses %s', async (_title, overrides, message) => {
    const answer = await leavingNoTrace(keys, () => create({ ...paymasterBody(), ...overrides }));
    expectRefusal(answer, 400, message);
  });

  it.each([
    ['surrounding space', (name: string) => `  ${name} `],
    ['another Unicode form', (name: string) => name.normalize('NFD')],
  ])('takes a name with %s for the same name', async (_title, vary) => {
    const body = { ...paymasterBody(), name: `Café ${crypto.randomUUID()}` };
    expect((await create(body)).body.data.name).toBe(body.name);
    expectRefusal(await create({ ...body, name: vary(body.name) }), 400, 'paymaster_name_exists');
  });

  it('refuses a name that another account has on the chain', async () => {
    const { name } = await freshPaymaster((await freshAccount()).authToken);
    expectRefusal(await create({ ...paymasterBody(), name }), 400, 'paymaster_name_exists');
  });

  it.each(['👩‍🚀 fuel', 'مرحبا', "Robert'); DROP TABLE paymasters;--", '<script>alert(1)</script>'])(
    'keeps the name %s as it is, letter case too',
    async (start) => {
      const name = `${start} ${crypto.randomUUID()} Q`;
      expect((await create({ ...paymasterBody(), name })).body.data.name).toBe(name);
      expect((await create({ ...paymasterBody(), name: `${name.slice(0, -1)}q` })).status).toBe(200);
    },
  );

  it('lets one of twenty creations of a name win', async () => {
    const body = paymasterBody();
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(body)));
    const [lost, won] = [
      answers.filter(({ status }) => status !== 200),
      answers.filter(({ status }) => status === 200),
    ];
    expect(won).toHaveLength(1);
    lost.forEach((answer) => expectRefusal(answer, 400, 'paymaster_name_exists'));
  });
});

describe('3 create contract', () => {
  const create = (overrides: object) =>
    call({ method: 'POST', path: '/smart-contract', ...keys, body: { ...contractBody(), ...overrides } });

  it.each<[string, object, string]>([
    ['no name', { name: undefined }, 'name must be a string'],
    ['no address', { address: undefined }, 'address must be a string'],
    ['an address of 19 bytes', { address: `0x${'a'.repeat(38)}` }, ADDRESS],
    ['an address of 21 bytes', { address: `0x${'a'.repeat(42)}` }, ADDRESS],
    ['an address without 0x', { address: 'a'.repeat(40) }, ADDRESS],
    ['an address with 0X', { address: `0X${'a'.repeat(40)}` }, ADDRESS],
    ['an address with a line break', { address: `0x${'a'.repeat(40)}\n` }, ADDRESS],
    ['full-width digits', { address: `0x${'１'.repeat(40)}` }, ADDRESS],
    [
      'an EntryPoint',
      { address: CANONICAL_ENTRY_POINTS['0.7'] },
      'address must not be an EntryPoint or a paymaster of this platform',
    ],
    ['whitelistedMethods null', { whitelistedMethods: null }, 'whitelistedMethods must be an array'],
    [
      'a method that is not in the ABI',
      { whitelistedMethods: ['setQuote', 'mint'] },
      'whitelistedMethods: "mint" is not a method of the abi',
    ],
    [
      'a view method',
      { whitelistedMethods: ['getQuote'] },
      'whitelistedMethods: "getQuote" only reads, so it cannot be sponsored',
    ],
    [
      'constructor',
      { whitelistedMethods: ['constructor'] },
      'whitelistedMethods: "constructor" is not a method of the abi',
    ],
    ['__proto__', { whitelistedMethods: ['__proto__'] }, 'whitelistedMethods: "__proto__" is not a method of the abi'],
    [
      '10,000 methods',
      { whitelistedMethods: Array(10_000).fill('setQuote') },
      'whitelistedMethods must not have more than 2000 items',
    ],
  ])('refuses %s', async (_title, overrides, message) => {
    expectRefusal(await leavingNoTrace(keys, () => create(overrides)), 400, message);
  });

  it('takes the same address under another paymaster', async () => {
    const { address } = await freshContract(keys);
    const other = only(await freshPaymaster(authToken));
    const answer = await call({
      method: 'POST',
      path: '/smart-contract',
      ...other,
      body: { ...contractBody(), address },
    });
    expect(answer.status).toBe(200);
  });

  it('lets a name stand for every overload, and shows it once', async () => {
    const own = only(await freshPaymaster(authToken));
    const put = (type: string) => ({
      type: 'function',
      name: 'put',
      inputs: [{ type }],
      stateMutability: 'nonpayable',
    });
    const body = {
      ...contractBody(),
      abi: JSON.stringify([put('uint'), put('bytes')]),
      whitelistedMethods: ['put', 'put'],
    };
    await call({ method: 'POST', path: '/smart-contract', ...own, body });
    expect(await listContracts(own)).toMatchObject([{ methods: ['put'], whitelistedMethods: ['put'] }]);
  });

  it('keeps a name with markup as it is', async () => {
    const own = only(await freshPaymaster(authToken));
    const body = { ...contractBody(), name: '<script>alert(1)</script>' };
    await call({ method: 'POST', path: '/smart-contract', ...own, body });
    expect((await listContracts(own))[0]?.name).toBe('<script>alert(1)</script>');
  });

  it('takes an ABI of events only, which has nothing to sponsor', async () => {
    const own = only(await freshPaymaster(authToken));
    const abi = JSON.stringify([{ type: 'event', name: 'Quoted', inputs: [], anonymous: false }]);
    const body = { ...contractBody(), abi, whitelistedMethods: [] };
    expect((await call({ method: 'POST', path: '/smart-contract', ...own, body })).status).toBe(200);
    expect(await listContracts(own)).toMatchObject([{ methods: [] }]);
  });
});

describe('5 update whitelisted methods', () => {
  let address: string;
  beforeAll(async () => ({ address } = await freshContract(keys)));
  const update = (whitelistedMethods: unknown, to = address) =>
    call<ContractRecord>({
      method: 'PATCH',
      path: '/smart-contract',
      ...keys,
      body: { address: to, whitelistedMethods },
    });

  it.each([
    ['text', 'setQuote', 'whitelistedMethods must be an array'],
    ['nothing', undefined, 'whitelistedMethods must be an array'],
    ['an object with a length', { length: 1, 0: 'setQuote' }, 'whitelistedMethods must be an array'],
    ['null in the list', [null], 'each value in whitelistedMethods must be a string'],
    ['a number in the list', [1], 'each value in whitelistedMethods must be a string'],
    ['a list in the list', [[]], 'each value in whitelistedMethods must be a string'],
    ['an unknown method', ['mint'], 'whitelistedMethods: "mint" is not a method of the abi'],
  ])('refuses %s', async (_title, methods, message) => {
    expectRefusal(await leavingNoTrace(keys, () => update(methods)), 400, message);
  });

  it('keeps a method that is named twice once', async () => {
    expect((await update(['reset', 'reset'])).body.data.whitelistedMethods).toEqual(['reset']);
  });

  it('empties the list', async () => {
    expect((await update([])).body.data.whitelistedMethods).toEqual([]);
  });

  it('leaves one of two lists when both are sent at once', async () => {
    await Promise.all([update(['reset']), update(['setQuote'])]);
    const contract = (await listContracts(keys)).find((each) => each.address === address);
    expect([['reset'], ['setQuote']]).toContainEqual(contract?.whitelistedMethods);
  });
});

describe('7 delete contract', () => {
  const remove = (body?: object) => call({ method: 'DELETE', path: '/smart-contract', ...keys, body });

  it('answers the second deletion as if there had been no contract', async () => {
    const { address } = await freshContract(keys);
    expect((await remove({ address })).status).toBe(200);
    expectRefusal(await remove({ address }), 404, 'Smart contract not found', 400);
  });

  it('refuses a request without a body', async () => {
    expectRefusal(await leavingNoTrace(keys, () => remove()), 400, 'address must be a string');
  });
});

describe('paymaster settings', () => {
  it.each<[string, object, string]>([
    ['text for a switch', { sponsorAnyContract: 'true' }, 'sponsorAnyContract must be a boolean value'],
    ['null for a switch', { sponsorNativeTransfers: null }, 'sponsorNativeTransfers must be a boolean value'],
    [
      'an unknown word',
      { sponsorDeployments: 'sometimes' },
      'sponsorDeployments must be one of the following values: never, withCall, always',
    ],
    ['a validity too short', { maxExpirySeconds: 119 }, 'maxExpirySeconds must not be less than 120'],
    [
      'a validity too long',
      { maxExpirySeconds: 86_401 },
      expect.stringMatching(/^maxExpirySeconds must not be greater than \d+$/),
    ],
    [
      'a default that is too long',
      { defaultExpirySeconds: 86_401 },
      'defaultExpirySeconds must not be greater than 86400',
    ],
    ['a fraction', { maxExpirySeconds: 300.5 }, 'maxExpirySeconds must be an integer number'],
    ['wei as a number', { maxOperationCostWei: 1 }, 'maxOperationCostWei must be a string of decimal digits or null'],
    ['wei in hex', { maxOperationCostWei: '0x1' }, 'maxOperationCostWei must be a string of decimal digits or null'],
    ['negative wei', { maxOperationCostWei: '-1' }, 'maxOperationCostWei must be a string of decimal digits or null'],
    ['origins as text', { allowedOrigins: '*' }, 'allowedOrigins must be an array'],
    [
      'an origin with a path',
      { allowedOrigins: ['https://app.example.org/x'] },
      `allowedOrigins: "https://app.example.org/x" ${ORIGIN}`,
    ],
    [
      'an origin that no browser sends',
      { allowedOrigins: ['*', 'https://App.Example'] },
      `allowedOrigins: "https://App.Example" ${ORIGIN}`,
    ],
    [
      'an unknown token mode',
      { tokenMode: 'on' },
      'tokenMode must be one of the following values: anyCall, whitelistedCalls, off',
    ],
    [
      'null as token mode',
      { tokenMode: null },
      'tokenMode must be one of the following values: anyCall, whitelistedCalls, off',
    ],
    ['charging ways as text', { tokenChargingWays: 'permit' }, 'tokenChargingWays must be an array'],
    ['charging ways null', { tokenChargingWays: null }, 'tokenChargingWays must be an array'],
    [
      'an unknown charging way',
      { tokenChargingWays: ['permit', 'gift'] },
      'each value in tokenChargingWays must be one of the following values: allowance, permit, batchApproval',
    ],
    [
      'a charging way named twice',
      { tokenChargingWays: ['permit', 'permit'] },
      'tokenChargingWays must not name a way twice',
    ],
    [
      'another way out of a limit',
      { onLimitReached: 'native' },
      'onLimitReached must be one of the following values: refuse, erc20',
    ],
    ['an empty sponsor', { sponsorName: '  ' }, NAME_LENGTH.replace('name', 'sponsorName').replace('100', '60')],
    ['a sponsor too long', { sponsorName: 'a'.repeat(61) }, 'sponsorName must be 1 to 60 characters long'],
    ['a sponsor with a line break', { sponsorName: 'a\nb' }, CONTROL.replace('name', 'sponsorName')],
    ['an icon to load', { sponsorIcon: 'https://a.example/icon.png' }, ICON],
    ['an SVG icon', { sponsorIcon: 'data:image/svg+xml;base64,PHN2Zy8+' }, ICON],
    ['an empty icon', { sponsorIcon: '' }, ICON],
    ['a fee receiver that is no address', { tokenFeeReceiver: '0x12' }, ADDRESS.replace('address', 'tokenFeeReceiver')],
    ['an empty fee receiver', { tokenFeeReceiver: '' }, ADDRESS.replace('address', 'tokenFeeReceiver')],
    [
      'the zero address as fee receiver',
      { tokenFeeReceiver: ZERO_ADDRESS },
      'tokenFeeReceiver must not be the zero address',
    ],
    [
      'an EntryPoint as fee receiver',
      { tokenFeeReceiver: CANONICAL_ENTRY_POINTS['0.7'] },
      'tokenFeeReceiver must not be an EntryPoint or a paymaster of this platform',
    ],
  ])('refuse %s', async (_title, body, message) => {
    const answer = await leavingNoTrace(keys, () =>
      call({ method: 'PATCH', path: '/paymaster-settings', ...keys, body }),
    );
    expectRefusal(answer, 400, message);
  });
});
