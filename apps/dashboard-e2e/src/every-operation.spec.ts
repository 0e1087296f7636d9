import { freshAccount } from './support/account';
import { call } from './support/dashboard-client';
import { documentedOperations } from './support/documented-operations';
import { expectRefusal, freshPaymaster, only, type Keys } from './support/fixtures';
import { leavingNoTrace } from './support/unchanged';

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';
const UNKNOWN_KEY = 'aaaaaaaaa.00000000-0000-4000-8000-000000000000';
const UNKNOWN_TOKEN = 'pm_auth_unknown';
const ONE = 'Auth token is required in the headers';
const BOTH = 'Auth token and API key is required in the headers';

/** Operations with another sentence where a header is missing: existing clients know it, or only one is needed. */
const SAYS_ONE =
  /^(POST \/paymaster|GET \/webhook)$| \/(shared-policy|chains|account\/|events|paymaster\/[0-9a-f]{8}-)/;
const SAYS_NO_CONTRACT = ['PATCH /smart-contract', 'DELETE /smart-contract'];
const SAYS_NO_USER = ['PATCH /paymaster'];

const DOCUMENTED = documentedOperations(UNKNOWN_ID);
/** Operations of people alone are in the isolation matrix of the dashboard. */
const OPERATIONS = DOCUMENTED.filter(({ takesAuthToken }) => takesAuthToken).map(
  ({ method, path, ...needs }) => [`${method} ${path}`, { method, path }, needs] as const,
);
const OF_A_PAYMASTER = OPERATIONS.filter(([, , { needsApiKey }]) => needsApiKey);
const WITH_A_BODY = OPERATIONS.filter(([, , { takesBody }]) => takesBody);

let own: Keys;
let stranger: Keys;
beforeAll(async () => {
  own = only(await freshPaymaster((await freshAccount()).authToken));
  stranger = only(await freshPaymaster((await freshAccount()).authToken));
});

describe('every operation of the API document', () => {
  it('is one of the resources that owners have', () => {
    const resources = new Set(DOCUMENTED.map(({ path }) => path.split('/')[1]));
    expect([...resources].sort()).toEqual([
      'account',
      'alerts',
      'auth-tokens',
      'chains',
      'events',
      'explain',
      'funding-message',
      'funding-wallet',
      'invitations',
      'keys',
      'members',
      'operation',
      'operator',
      'passkeys',
      'paymaster',
      'paymaster-policy',
      'paymaster-settings',
      'person',
      'price',
      'request-log',
      'roles',
      'session',
      'session-keys',
      'sessions',
      'shared-policy',
      'smart-contract',
      'token',
      'usage',
      'webhook',
    ]);
  });

  it.each(OPERATIONS)('%s answers 401 without a header', async (operation, request, { needsApiKey }) => {
    const sentence = SAYS_ONE.test(operation) ? ONE : BOTH;
    expectRefusal(await call(request), 401, sentence);
    expectRefusal(await call({ ...request, apiKey: own.apiKey }), 401, sentence);
    if (needsApiKey) expectRefusal(await call({ ...request, authToken: own.authToken }), 401, sentence);
  });

  it.each(OPERATIONS)('%s answers to a wrong authToken before it looks at the apiKey', async (operation, request) => {
    const answer = await call({ ...request, authToken: UNKNOWN_TOKEN, apiKey: UNKNOWN_KEY });
    if (SAYS_NO_USER.includes(operation)) expectRefusal(answer, 404, 'User not found');
    else expectRefusal(answer, 401, 'Invalid auth token');
  });

  it.each(OF_A_PAYMASTER)('%s takes the apiKey of another account for an unknown one', async (operation, request) => {
    const withKey = (keys: Keys) => leavingNoTrace(stranger, () => call({ ...request, ...keys }));
    for (const keys of [
      { authToken: own.authToken, apiKey: UNKNOWN_KEY },
      { authToken: own.authToken, apiKey: stranger.apiKey },
      { authToken: stranger.authToken, apiKey: own.apiKey },
    ]) {
      const answer = await withKey(keys);
      if (SAYS_NO_CONTRACT.includes(operation)) expectRefusal(answer, 404, 'Smart contract not found', 400);
      else expectRefusal(answer, 404, 'User not found');
    }
  });

  it.each(WITH_A_BODY)('%s refuses a body that is not an object', async (_operation, request) => {
    const answer = await leavingNoTrace(own, () => call({ ...request, ...own, rawBody: '[]' }));
    expectRefusal(answer, 400, 'The body must be a JSON object');
  });
});
