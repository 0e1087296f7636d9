import { freshAccount } from './support/account';
import { call } from './support/dashboard-client';
import { expectRefusal, freshPaymaster, only, type Keys } from './support/fixtures';
import { callPolicies, freshPolicy, limitBody, listPolicies, type PolicyRecord } from './support/policies';
import { leavingNoTrace } from './support/unchanged';

const FINE = 'above zero; as text where it has more than 15 digits';
const COUNT = `threshold must be a whole number of operations, ${FINE}`;
const NATIVE = `threshold must be a decimal number with at most 18 decimals of native units, ${FINE}`;
const ADDRESS = 'must be an address: 0x and 40 hexadecimal digits';

let keys: Keys;
let limit: PolicyRecord;
let rules: PolicyRecord;
beforeAll(async () => {
  keys = only(await freshPaymaster((await freshAccount()).authToken));
  limit = await freshPolicy(keys);
  rules = await freshPolicy(keys, { name: 'rules', policyType: 'RULES', policyData: {} });
});

const refused = async (request: { method: string; path?: string; body?: unknown }, message: string) =>
  expectRefusal(await leavingNoTrace(keys, () => callPolicies(keys, request)), 400, message);

/** Bad-input corpus, C6 and C7, for policies. Nothing of it changes anything. */
describe('POST paymaster-policy', () => {
  it.each<[string, object, string]>([
    ['no name', { name: undefined }, 'name must be a string'],
    ['a name of 101 characters', { name: 'a'.repeat(101) }, 'name must be 1 to 100 characters long'],
    ['a name that changes direction', { name: 'a\u202eb' }, 'name must not contain control characters'],
    [
      'no policyType',
      { policyType: undefined },
      'policyType must be one of the following values: PAYMASTER_SA_LIMIT, WALLET_DEPLOYMENT, WEBHOOK, RULES',
    ],
    [
      'an unknown policyType',
      { policyType: 'constructor' },
      'policyType must be one of the following values: PAYMASTER_SA_LIMIT, WALLET_DEPLOYMENT, WEBHOOK, RULES',
    ],
    ['no policyData', { policyData: undefined }, 'policyData must be an object'],
    ['policyData as text', { policyData: '{}' }, 'policyData must be an object'],
    ['policyData as a list', { policyData: [limitBody().policyData] }, 'policyData must be an object'],
    [
      'the data of another type',
      { policyType: 'WEBHOOK' },
      'policyData: property type should not exist; policyData: property cycleDuration should not exist; ' +
        'policyData: property threshold should not exist; policyData: property thresholdType should not exist; ' +
        'policyData: url must be a string',
    ],
  ])('refuses %s', async (_title, changes, message) => {
    await refused({ method: 'POST', body: { ...limitBody(), ...changes } }, message);
  });

  it.each<[string, object, string]>([
    ['a threshold of 0', { threshold: 0 }, COUNT],
    ['half an operation', { threshold: 0.5 }, COUNT],
    ['a threshold as a list', { threshold: [1] }, COUNT],
    ['more than 18 decimals', { thresholdType: 'NATIVE_ASSET', threshold: '0.0000000000000000001' }, NATIVE],
    ['a number that lost digits', { thresholdType: 'NATIVE_ASSET', threshold: 0.12345678901234568 }, NATIVE],
    ['an unknown key', { startTime: 1 }, 'property startTime should not exist'],
    ['an unknown type', { type: 'USER' }, 'type must be one of the following values: PAYMASTER, SMART_ACCOUNT'],
    ['no cycle', { cycleDuration: null }, 'cycleDuration must be an object'],
  ])('refuses a limit with %s', async (_title, changes, message) => {
    const body = limitBody();
    await refused(
      { method: 'POST', body: { ...body, policyData: { ...body.policyData, ...changes } } },
      `policyData: ${message}`,
    );
  });

  it.each<[string, object, string]>([
    ['an unknown rule', { maxGas: '1' }, 'policyData: property maxGas should not exist'],
    ['a sender that is none', { senders: { allow: ['0x12'] } }, `policyData.senders: each value in allow ${ADDRESS}`],
    ['an end before its start', { startsAt: 9, endsAt: 8 }, 'policyData: endsAt must be later than startsAt'],
    ['wei as a number', { maxCallValueWei: 1 }, 'policyData: maxCallValueWei must be a string of decimal digits'],
    [
      'a method by its name alone',
      { arguments: [{ contract: `0x${'1'.repeat(40)}`, method: 'mint', index: 0, operator: 'EQ', value: '1' }] },
      'policyData.arguments.0: method must be a full signature in its canonical form: mint(address,uint256)',
    ],
    [
      'an argument of changing length',
      { arguments: [{ contract: `0x${'1'.repeat(40)}`, method: 'a(bytes)', index: 0, operator: 'EQ', value: '0x' }] },
      'policyData.arguments.0: index must be that of a number, address, bool or bytes1 to bytes32; it is bytes',
    ],
    [
      'a limit without a cycle',
      { limits: [{ scope: 'USER', measure: 'WEI', amount: '1' }] },
      'policyData.limits.0: cycle must be sent for scope USER',
    ],
    [
      'an amount of half a wei',
      { limits: [{ scope: 'USER', measure: 'WEI', amount: '0.5', cycle: 'DAY' }] },
      `policyData.limits.0: amount must be a whole number of wei, ${FINE}`,
    ],
    ['21 limits', { limits: Array(21).fill({}) }, 'policyData: limits must contain no more than 20 elements'],
    ['a breaker of text', { revertBreaker: 'on' }, 'policyData: revertBreaker must be an object'],
  ])('refuses rules with %s', async (_title, policyData, message) => {
    await refused({ method: 'POST', body: { name: 'rules', policyType: 'RULES', policyData } }, message);
  });

  it.each([
    ['no URL', undefined],
    ['a URL of another scheme', 'ftp://hooks.example.org/'],
    ['a script', 'javascript:alert(1)'],
    ['credentials', 'https://user:secret@hooks.example.org/'],
    ['a page instead of a URL', 'a'.repeat(10_000)],
  ])('refuses a webhook with %s, and does not repeat it', async (_title, url) => {
    const body = { name: 'hook', policyType: 'WEBHOOK', policyData: { url } };
    const answer = await leavingNoTrace(keys, () => callPolicies(keys, { method: 'POST', body }));
    expect(answer.status).toBe(400);
    expect(answer.body.message).toMatch(/^policyData: url [^@]{1,120}$/);
    if (url) expect(answer.body.message).not.toContain(url);
  });

  it.each([
    ['__proto__', `{"name":"x","policyType":"RULES","policyData":{"__proto__":{"priority":1}}}`],
    ['constructor.prototype', `{"name":"x","policyType":"RULES","policyData":{"constructor":{"prototype":1}}}`],
  ])('refuses a body with %s', async (_title, rawBody) => {
    const answer = await leavingNoTrace(keys, () =>
      call({ method: 'POST', path: '/paymaster-policy', ...keys, rawBody }),
    );
    expectRefusal(answer, 400, 'The body is not valid JSON');
  });

  it.each(['active', 'paymasterId', 'createdBy', 'chainId'])('refuses %s, which is not the caller’s', async (field) => {
    await refused({ method: 'POST', body: { ...limitBody(), [field]: 1 } }, `property ${field} should not exist`);
  });
});

describe('PATCH paymaster-policy', () => {
  it.each<[string, object, string]>([
    ['a threshold of 0', { threshold: 0 }, COUNT],
    ['null as threshold', { threshold: null }, COUNT],
    [
      'another type of threshold',
      { thresholdType: 'USD' },
      'thresholdType must be one of the following values: COUNT, NATIVE_ASSET',
    ],
    [
      'a cycle in minutes',
      { cycleDuration: { value: 1, unit: 'minute' } },
      'cycleDuration: unit must be one of the following values: hour, day',
    ],
    ['an empty name', { name: ' ' }, 'name must be 1 to 100 characters long'],
  ])('/limit refuses %s', async (_title, body, message) => {
    await refused({ method: 'PATCH', path: `/limit/${limit._id}`, body }, message);
  });

  it('/limit refuses a policy that is none', async () => {
    const message = 'policyId must be that of a policy of type PAYMASTER_SA_LIMIT';
    await refused({ method: 'PATCH', path: `/limit/${rules._id}`, body: { threshold: 1 } }, message);
  });

  it.each<[string, object, string]>([
    ['data of another type', { policyData: limitBody().policyData }, 'policyData: property type should not exist'],
    ['null as data', { policyData: null }, 'policyData must be an object'],
    [
      'a priority twice',
      { priority: 1, policyData: { priority: 2 } },
      'priority must be sent in policyData, or without it',
    ],
    ['a priority of text', { priority: 'first' }, 'priority must be an integer number'],
  ])('/:policyId refuses %s', async (_title, body, message) => {
    await refused({ method: 'PATCH', path: `/${rules._id}`, body }, message);
  });

  it('/:policyId refuses the priority of what has none', async () => {
    const message = 'priority is for policies of type RULES';
    await refused({ method: 'PATCH', path: `/${limit._id}`, body: { priority: 1 } }, message);
  });

  it('keeps both of two edits that come at once', async () => {
    const { _id } = await freshPolicy(keys);
    await Promise.all(
      [{ name: 'renamed' }, { threshold: 3 }].map((body) =>
        callPolicies(keys, { method: 'PATCH', path: `/limit/${_id}`, body }),
      ),
    );
    const policy = (await listPolicies(keys)).find((each) => each._id === _id);
    expect(policy).toMatchObject({ name: 'renamed', policyData: { threshold: 3 } });
  });
});

describe('paymaster settings', () => {
  it.each<[string, object, string]>([
    ['no signature at all', { maxLiveSignaturesPerSender: 0 }, 'maxLiveSignaturesPerSender must not be less than 1'],
    [
      'too many of a sender',
      { maxLiveSignaturesPerSender: 1_001 },
      'maxLiveSignaturesPerSender must not be greater than 1000',
    ],
    ['a cap as text', { maxLiveSignaturesPerClient: '5' }, 'maxLiveSignaturesPerClient must be an integer number'],
    ['a cap of null', { maxLiveSignaturesTotal: null }, 'maxLiveSignaturesTotal must be an integer number'],
    ['more than all', { clientSharePercent: 101 }, 'clientSharePercent must not be greater than 100'],
    ['a fraction of a share', { clientSharePercent: 0.5 }, 'clientSharePercent must be an integer number'],
  ])('refuse %s', async (_title, body, message) => {
    const answer = await leavingNoTrace(keys, () =>
      call({ method: 'PATCH', path: '/paymaster-settings', ...keys, body }),
    );
    expectRefusal(answer, 400, message);
  });
});
