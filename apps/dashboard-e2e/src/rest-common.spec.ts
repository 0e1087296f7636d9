import { freshAccount } from './support/account';
import { call, type Call } from './support/dashboard-client';
import {
  contractBody,
  expectRefusal,
  freshContract,
  freshPaymaster,
  fundingMessage,
  only,
  paymasterBody,
  type Keys,
  type PaymasterRecord,
} from './support/fixtures';
import { rawCall } from './support/raw-http';
import { leavingNoTrace } from './support/unchanged';

const BOTH = 'Auth token and API key is required in the headers';
const LIST = '/api/v2/public/sdk/paymaster';

/** What holds for every operation (bad-input corpus, C6). */
describe('all dashboard operations', () => {
  let authToken: string;
  let keys: Keys;
  beforeAll(async () => {
    ({ authToken } = await freshAccount());
    keys = only(await freshPaymaster(authToken));
  });

  describe('the authToken header', () => {
    it('counts as missing when it is empty', async () => {
      expectRefusal(await call({ method: 'GET', path: '/paymaster', authToken: '' }), 401, BOTH);
    });

    it('matches nothing when it is sent twice', async () => {
      const answer = await rawCall([`GET ${LIST} HTTP/1.1`, `authToken: ${authToken}`, `authToken: ${authToken}`]);
      expect(answer).toEqual({ status: 401, body: { statusCode: 401, message: 'Invalid auth token' } });
    });

    it.each([
      ['8 KiB long', 'a'.repeat(8_192)],
      ['SQL', "' OR 1=1--"],
      ['almost right', 'pm_auth_'.padEnd(57, 'A')],
    ])('is invalid when it is %s', async (_title, wrong) => {
      const answer = await call({ method: 'GET', path: '/paymaster', authToken: wrong });
      expectRefusal(answer, 401, 'Invalid auth token');
    });

    it('is invalid when it is not ASCII', async () => {
      const answer = await rawCall([`GET ${LIST} HTTP/1.1`, 'authToken: \xe9\xff']);
      expect(answer).toEqual({ status: 401, body: { statusCode: 401, message: 'Invalid auth token' } });
    });

    it('may be spelled in any case and have space around it, as HTTP says', async () => {
      expect(await rawCall([`GET ${LIST} HTTP/1.1`, `AUTHTOKEN:   ${authToken}  `])).toMatchObject({ status: 200 });
    });

    it('is not looked for in the query or a cookie', async () => {
      const headers = { cookie: `authToken=${authToken}` };
      const answer = await call({ method: 'GET', path: `/paymaster?authToken=${authToken}`, headers });
      expectRefusal(answer, 401, BOTH);
    });
  });

  it('come to the body only after the headers', async () => {
    const request = { method: 'POST', path: '/smart-contract', rawBody: '{"name":' };
    expectRefusal(await call(request), 401, BOTH);
    expectRefusal(await call({ ...request, ...keys, authToken: 'wrong' }), 401, 'Invalid auth token');
    expectRefusal(await call({ ...request, ...keys, apiKey: 'wrong' }), 404, 'User not found');
    expectRefusal(await call({ ...request, ...keys }), 400, 'The body is not valid JSON');
  });

  describe('with the apiKey of another account', () => {
    it.each<[string, Omit<Call, 'authToken' | 'apiKey'>, number, string, number]>([
      ['3', { method: 'POST', path: '/smart-contract', body: contractBody() }, 404, 'User not found', 404],
      ['4', { method: 'GET', path: '/smart-contract' }, 404, 'User not found', 404],
      ['5', { method: 'PATCH', path: '/smart-contract', body: {} }, 404, 'Smart contract not found', 400],
      ['6a', { method: 'GET', path: '/funding-message' }, 404, 'User not found', 404],
      ['6b', { method: 'PATCH', path: '/paymaster', body: {} }, 404, 'User not found', 404],
      ['7', { method: 'DELETE', path: '/smart-contract', body: {} }, 404, 'Smart contract not found', 400],
      ['settings', { method: 'GET', path: '/paymaster-settings' }, 404, 'User not found', 404],
      [
        'settings',
        { method: 'PATCH', path: '/paymaster-settings', body: { onRefusal: 'userPays' } },
        404,
        'User not found',
        404,
      ],
    ])('%s answers as if there were no such key', async (_operation, request, status, message, bodyStatus) => {
      const stranger = await freshPaymaster((await freshAccount()).authToken);
      const answer = await leavingNoTrace(stranger, () => call({ ...request, authToken, apiKey: stranger.apiKey }));
      expectRefusal(answer, status, message, bodyStatus);
    });

    it('6a does not tell a foreign paymasterId from an unknown one', async () => {
      const stranger = await freshPaymaster((await freshAccount()).authToken);
      const { paymasterId } = await fundingMessage(stranger);
      const answer = await call({ method: 'GET', path: `/funding-message/${paymasterId}`, ...keys });
      expectRefusal(answer, 404, 'User not found');
    });

    it('1 lists only what is the account’s own', async () => {
      const stranger = await freshPaymaster((await freshAccount()).authToken);
      const { body } = await call<PaymasterRecord[]>({ method: 'GET', path: '/paymaster', authToken });
      expect(body.data.map(({ apiKey }) => apiKey)).not.toContain(stranger.apiKey);
    });
  });

  describe('paths', () => {
    it.each([
      '/api/v1/public/sdk/paymaster',
      '/api/v3/public/sdk/paymaster',
      '/api/v2/public/sdk/..%2fpaymaster',
      '/api/v2/public/sdk/paymaster%00',
      '/api/v2/public/sdk/nothing',
    ])('%s is not found', async (path) => {
      expectRefusal(await call({ method: 'GET', path, ...keys }), 404, 'Not found');
    });

    it.each(['%00', '%27%20OR%201=1--', 'x'.repeat(90), 'x'.repeat(5_000)])(
      'a paymasterId of %s is not found',
      async (id) => {
        expectRefusal(await call({ method: 'GET', path: `/funding-message/${id}`, ...keys }), 404, 'User not found');
      },
    );

    it('that cannot be decoded is malformed, in the envelope and without repeating it', async () => {
      const answer = await call({ method: 'GET', path: '/funding-message/%E0%A4%A', ...keys });
      expectRefusal(answer, 400, 'The address is malformed');
    });

    it('may end in a slash', async () => {
      expect((await call({ method: 'GET', path: '/paymaster/', authToken })).status).toBe(200);
    });

    it.each(['PUT', 'OPTIONS'])('refuse the method %s and name the allowed ones', async (method) => {
      const answer = await call({ method, path: '/smart-contract', ...keys });
      expectRefusal(answer, 405, 'Method not allowed');
      expect(answer.headers.get('allow')).toMatch(/GET.*POST|POST.*GET/);
    });

    it('refuse TRACE', async () => {
      const { status } = await rawCall([`TRACE ${LIST} HTTP/1.1`, `authToken: ${authToken}`]);
      expect([404, 405]).toContain(status);
    });

    it('do not let X-HTTP-Method-Override change the method', async () => {
      await freshContract(keys);
      const headers = { 'x-http-method-override': 'DELETE' };
      const answer = await leavingNoTrace(keys, () =>
        call({ method: 'GET', path: '/smart-contract', ...keys, headers }),
      );
      expect(answer.body.message).toBe('Smart contract list fetched');
    });

    it('answer HEAD like GET, without a body', async () => {
      expect((await call({ method: 'HEAD', path: '/paymaster', authToken })).status).toBe(200);
    });
  });

  describe('bodies', () => {
    const create = (request: Partial<Call>) =>
      leavingNoTrace(keys, () => call({ method: 'POST', path: '/paymaster', authToken, ...request }));

    it.each([
      ['cut off', '{"name":', 'The body is not valid JSON'],
      ['an array', '[]', 'The body must be a JSON object'],
      ['null', 'null', 'The body must be a JSON object'],
      ['a string', '"x"', 'The body must be a JSON object'],
      ['with __proto__', '{"__proto__":{"polluted":1},"name":"x"}', 'The body is not valid JSON'],
      ['with constructor.prototype', '{"constructor":{"prototype":{}}}', 'The body is not valid JSON'],
      ['nested 100,000 deep', '['.repeat(100_000) + ']'.repeat(100_000), 'The body is nested too deeply'],
    ])('are refused when %s', async (_title, rawBody, message) => {
      expectRefusal(await create({ rawBody }), 400, message);
    });

    it('are refused when larger than 1 MiB', async () => {
      // Announced and not sent: the service hangs up on it, and whoever still writes then may miss the answer.
      const lines = [`POST ${LIST} HTTP/1.1`, `authToken: ${authToken}`, 'content-type: application/json'];
      const answer = await leavingNoTrace(keys, () => rawCall([...lines, 'content-length: 1048577']));
      expect(answer).toEqual({ status: 413, body: { statusCode: 413, message: 'The body is too large' } });
    });

    it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])(
      'are refused as %s',
      async (type) => {
        const answer = await create({ rawBody: 'a=b', headers: { 'content-type': type } });
        expectRefusal(answer, 415, 'The content type must be application/json');
      },
    );

    it('of the interface document’s rows may have fields that nobody knows', async () => {
      const body = { ...paymasterBody(), surprise: { nested: true }, settings: { sponsorAnyContract: true } };
      const answer = await call<PaymasterRecord>({ method: 'POST', path: '/paymaster', authToken, body });
      expect(answer.status).toBe(200);
      const apiKey = answer.body.data.apiKey;
      const settings = await call({ method: 'GET', path: '/paymaster-settings', authToken, apiKey });
      expect(settings.body.data).toMatchObject({ sponsorAnyContract: false });
    });

    it('are ignored on GET', async () => {
      const lines = [
        `GET ${LIST} HTTP/1.1`,
        `authToken: ${authToken}`,
        'content-type: application/json',
        'content-length: 2',
      ];
      expect(await rawCall(lines, '{"')).toMatchObject({ status: 200 });
    });
  });

  it('answer JSON to whoever asks for HTML', async () => {
    const answer = await call({ method: 'GET', path: '/paymaster', authToken, headers: { accept: 'text/html' } });
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  });

  it('show their OpenAPI document and page', async () => {
    const document = await call({ method: 'GET', path: '/docs-json' });
    expect(document.body).toMatchObject({ openapi: expect.any(String), info: { title: 'Paymaster dashboard' } });
  });
});
