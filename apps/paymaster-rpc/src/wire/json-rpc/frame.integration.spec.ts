import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { startGatewayWorld, type GatewayWorld } from '../../testing/gateway-world';
import { call, executeCall, post, sponsoredMode, wireOperationV06, type RpcAnswer } from '../../testing/rpc-call';

describe('the JSON-RPC frame', () => {
  let world: GatewayWorld;
  let url: string;
  let apiKey: string;
  let params: unknown[];

  beforeAll(async () => {
    world = await startGatewayWorld();
    apiKey = world.newPaymaster().apiKey;
    url = `${world.url}/api/v2/31337/${apiKey}`;
    params = [wireOperationV06(executeCall({ to: world.demo.address, data: world.demo.callData })), sponsoredMode()];
  });
  afterAll(() => world?.stop());

  const chainIdCall = (id: string): string => `{"jsonrpc":"2.0","id":${id},"method":"pm_chainId"}`;
  const answerTo = async (response: Promise<Response>) => ({ json: await (await response).json() }) as RpcAnswer;
  const errorOf = ({ status, json }: RpcAnswer) => ({ status, code: json.error?.code });

  describe('bytes that are not JSON', () => {
    it.each<[string, string | Uint8Array]>([
      ['an empty body', ''],
      ['whitespace', ' \n'],
      ['an open brace', '{'],
      ['a trailing comma', '{"jsonrpc":"2.0",}'],
      ['single quotes', "{'jsonrpc':'2.0'}"],
      ['NaN', '{"id":NaN}'],
      ['a byte order mark', `\ufeff${chainIdCall('1')}`],
      ['UTF-16', Buffer.from(chainIdCall('1'), 'utf16le')],
      ['invalid UTF-8', Buffer.from([0x22, 0xc3, 0x28, 0x22])],
    ])('answers -32700 for %s', async (_title, body) => {
      expect(errorOf(await post(url, body))).toEqual({ status: 400, code: -32700 });
    });
  });

  describe('JSON that is not a request', () => {
    it.each<[string, string]>([
      ['an array nested 100,000 deep', '['.repeat(100_000) + ']'.repeat(100_000)],
      ['objects nested 33 deep', '{"a":'.repeat(33) + '1' + '}'.repeat(33)],
      ['a prototype', '{"jsonrpc":"2.0","id":1,"method":"pm_chainId","__proto__":{"polluted":true}}'],
      ['a number', '17'],
      ['an empty batch', '[]'],
      ['a batch of 21', `[${Array(21).fill(chainIdCall('1')).join()}]`],
      ['no id', '{"jsonrpc":"2.0","method":"pm_chainId"}'],
      ['an object as id', chainIdCall('{}')],
      ['jsonrpc 1.0', '{"jsonrpc":"1.0","id":1,"method":"pm_chainId"}'],
      ['jsonrpc as a number', '{"jsonrpc":2.0,"id":1,"method":"pm_chainId"}'],
      ['no jsonrpc', '{"id":1,"method":"pm_chainId"}'],
      ['a number as method', '{"jsonrpc":"2.0","id":1,"method":7}'],
    ])('answers -32600 for %s', async (_title, body) => {
      expect(errorOf(await post(url, body))).toEqual({ status: 400, code: -32600 });
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    });

    it.each(['pm_nothing', 'pm_getFeeQuoteOrData ', '__proto__', 'constructor', 'pm_accounts'])(
      'answers -32601 for the method %j',
      async (method) => {
        expect((await call(url, method, [])).json.error?.code).toBe(-32601);
      },
    );

    it.each([[{}], [[]], [[1]], [[{}, {}, {}]], [Array(1_000).fill({})]])(
      'answers -32602 for params %j',
      async (wrong: unknown) => {
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'pm_sponsorUserOperation', params: wrong });
        expect(errorOf(await post(url, body))).toEqual({ status: 400, code: -32602 });
      },
    );
  });

  describe('ids', () => {
    it('refuses an id that no number can hold', async () => {
      const { status, json } = await post(url, chainIdCall('1e400'));
      expect({ status, id: json.id, code: json.error?.code }).toEqual({ status: 400, id: null, code: -32600 });
    });

    it.each(['1', '"1"', 'null', '1.5', '9007199254740993', '-0', '1.50', '"\\ud800"', '1.0', '1e2'])(
      'echoes %s with its type and digits',
      async (id) => {
        const { status, text } = await post(url, chainIdCall(id));
        expect(status).toBe(200);
        expect(text).toBe(`{"jsonrpc":"2.0","id":${id},"result":"0x7a69"}`);
      },
    );

    it('echoes the last of two ids, and large ones of a batch each to its entry', async () => {
      const twice = `{"id":1,"jsonrpc":"2.0","params":[{"id":"]}"}],"method":"rpc.discover","id":9007199254740995}`;
      const { text } = await post(url, `[${chainIdCall('9007199254740993')},7,${twice}]`);
      const ids = [...text.matchAll(/"jsonrpc":"2.0","id":(\d+|null)/g)].map(([, id]) => id);
      expect(ids).toEqual(['9007199254740993', 'null', '9007199254740995']);
    });
  });

  it.each(['2.0.0', '2'])('accepts jsonrpc %s and answers 2.0', async (version) => {
    const { json } = await post(url, `{"jsonrpc":"${version}","id":1,"method":"pm_chainId"}`);
    expect(json).toEqual({ jsonrpc: '2.0', id: 1, result: '0x7a69' });
  });

  it('answers a batch in order, each entry for itself, with 200', async () => {
    const { status, text } = await post(url, `[${chainIdCall('1')},{},${chainIdCall('"x"')}]`);
    const entries = JSON.parse(text) as RpcAnswer['json'][];
    expect(status).toBe(200);
    expect(entries.map(({ id, error }) => [id, error?.code])).toEqual([
      [1, undefined],
      [null, -32600],
      ['x', undefined],
    ]);
  });

  describe('HTTP', () => {
    const padded = (bytes: number): string => chainIdCall('1').padEnd(bytes, ' ');

    it('takes a body of exactly 256 KiB and refuses one byte more with 413', async () => {
      expect((await post(url, padded(256 * 1024))).status).toBe(200);
      expect(errorOf(await post(url, padded(256 * 1024 + 1)))).toEqual({ status: 413, code: -32600 });
    });

    it.each(['text/plain', 'application/json; charset=latin1', 'application/x-www-form-urlencoded'])(
      'refuses the content type %s with 415',
      async (type) => {
        expect(errorOf(await post(url, chainIdCall('1'), { 'content-type': type }))).toEqual({
          status: 415,
          code: -32600,
        });
      },
    );

    it('refuses a content type that is mostly white space without looking at it long', async () => {
      const type = `application/json;charset=utf-8${' '.repeat(15_000)}x`;
      const before = process.cpuUsage();
      for (let i = 0; i < 40; i++) {
        expect((await post(url, chainIdCall('1'), { 'content-type': type })).status).toBe(415);
      }
      // A pattern that tries every space as its first would take some 150 ms for each request. Measured in processor
      // time, because other work may use the processor too.
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1_000).toBeLessThan(1_500);
    });

    it('accepts application/json; charset=utf-8', async () => {
      expect((await post(url, chainIdCall('1'), { 'content-type': 'application/json; charset=utf-8' })).status).toBe(
        200,
      );
    });

    it('does not unpack a compressed body', async () => {
      const answer = await post(url, gzipSync(chainIdCall('1')), { 'content-encoding': 'gzip' });
      expect(errorOf(answer)).toEqual({ status: 415, code: -32600 });
    });

    it.each(['GET', 'PUT', 'PATCH', 'DELETE'])('refuses %s with 405 and says what is allowed', async (method) => {
      const response = await fetch(url, { method });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('POST, OPTIONS');
      expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32600 } });
    });

    /** Sends HTTP methods that `fetch` refuses to send. */
    const statusOf = (method: string, path: string): Promise<{ status?: number; body: string; allow?: string }> =>
      new Promise((resolve, reject) => {
        const { hostname, port } = new URL(world.url);
        const sent = request({ host: hostname, port, method, path }, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => {
            const { statusCode: status, headers } = response;
            resolve({ status, allow: headers.allow, body: Buffer.concat(chunks).toString() });
          });
        });
        sent.on('error', reject).end();
      });

    it.each(['TRACE', 'PROPFIND', 'LOCK', 'SEARCH', 'PURGE'])(
      'refuses %s with 405 at known paths, and with 404 elsewhere',
      async (method) => {
        for (const path of ['/', '/api/v2/31337', `/api/v1/31337/${apiKey}`]) {
          const { status, allow, body } = await statusOf(method, path);
          expect({ status, allow }).toEqual({ status: 405, allow: 'POST, OPTIONS' });
          expect(JSON.parse(body)).toMatchObject({ error: { data: { reason: 'HTTP_METHOD_NOT_ALLOWED' } } });
        }
        expect((await statusOf(method, '/api/v9')).status).toBe(404);
      },
    );

    it('refuses HEAD with 405', async () => {
      expect(await statusOf('HEAD', new URL(url).pathname)).toMatchObject({ status: 405, body: '' });
    });

    it.each(['/health', '/health/', '/health?x=1', '/health/live'])('leaves %s to the health checks', async (path) => {
      expect(JSON.parse((await statusOf('GET', path)).body)).not.toHaveProperty('jsonrpc');
    });

    it.each(['/health/more', '/health/../api/v2/31337/KEY', '/health/live/KEY'])(
      'has nothing at %s, and does not repeat it',
      async (path) => {
        const { status, body } = await statusOf('POST', path.replace('KEY', apiKey));
        expect({ status, body }).toEqual({ status: 404, body: expect.stringContaining('"UNKNOWN_ADDRESS"') });
        expect(body).not.toMatch(/health|api/);
      },
    );

    it.each(['/healthxyz', '/health-check', '/api/health'])('has nothing at %s', async (path) => {
      const { status, json } = await post(`${world.url}${path}`, chainIdCall('1'));
      expect(status).toBe(404);
      expect(json.error?.data['reason']).toBe('UNKNOWN_ADDRESS');
    });

    it('accepts a bounded number of connections', () => {
      expect(world.app.getHttpServer()).toMatchObject({ maxConnections: 10_000 });
    });

    it('survives a body that is shorter than it says', async () => {
      const { port } = new URL(url);
      await new Promise<void>((resolve) => {
        const broken = request({
          port,
          host: '127.0.0.1',
          method: 'POST',
          path: new URL(url).pathname,
          headers: { 'content-type': 'application/json', 'content-length': '500' },
        });
        broken.on('error', () => resolve()).on('close', () => resolve());
        broken.write('{}');
        setTimeout(() => broken.destroy(), 50);
      });
      expect((await post(url, chainIdCall('1'))).status).toBe(200);
    });

    it('echoes a harmless request id in header and error data, and makes one otherwise', async () => {
      const given = await post(url, '{}', { 'x-request-id': 'abc-1' });
      expect(given.headers.get('x-request-id')).toBe('abc-1');
      expect(given.json.error?.data['requestId']).toBe('abc-1');
      const made = await post(url, '{}', { 'x-request-id': 'no good' });
      expect(made.json.error?.data['requestId']).toBe(made.headers.get('x-request-id'));
    });
  });

  describe('who asks', () => {
    it.each<[string, string, Record<string, string>]>([
      ['v1 path', '/api/v1/31337/KEY', {}],
      ['v2 path', '/api/v2/31337/KEY', {}],
      ['x-api-key with the chain in the path', '/api/v2/31337', { 'x-api-key': 'KEY' }],
      ['a bearer token with the chain in the path', '/api/v2/31337', { authorization: 'Bearer KEY' }],
      ['x-api-key alone', '/', { 'x-api-key': 'KEY' }],
    ])('finds the key in %s', async (_title, path, headers) => {
      const filled = Object.fromEntries(Object.entries(headers).map(([k, v]) => [k, v.replace('KEY', apiKey)]));
      const answer = await call(`${world.url}${path.replace('KEY', apiKey)}`, 'pm_chainId', [], filled);
      expect(answer.json.result).toBe('0x7a69');
    });

    it.each([
      ['an unknown key', '/api/v2/31337/AAAAAAAAA.8a8de4e2-4d1c-4f4a-9f0a-1e7f0f5f5f5f'],
      ['a key of no known shape', '/api/v2/31337/nokey'],
      ['no key', '/api/v2/31337'],
    ])('answers -32010 with 401 for %s', async (_title, path) => {
      expect(errorOf(await call(`${world.url}${path}`, 'pm_chainId', []))).toEqual({ status: 401, code: -32010 });
    });

    it('names the served chains when the path names another chain', async () => {
      const { status, json } = await call(`${world.url}/api/v2/5/${apiKey}`, 'pm_chainId', []);
      expect(status).toBe(401);
      expect(json.error).toMatchObject({ code: -32010, data: { reason: 'INVALID_API_KEY' } });
      expect(json.error?.message).toContain('31337');
    });

    it('refuses a key of any length without repeating it', async () => {
      const key = 'k'.repeat(5_000);
      const { status, text, json } = await post(`${world.url}/api/v2/31337/${key}`, chainIdCall('1'));
      expect({ status, code: json.error?.code }).toEqual({ status: 401, code: -32010 });
      expect(text).not.toContain('kkkk');
    });

    it('answers a path that cannot be decoded in JSON-RPC', async () => {
      const answer = await post(`${world.url}/api/v2/31337/%zz`, chainIdCall('1'), { 'x-request-id': 'abc-2' });
      expect(errorOf(answer)).toEqual({ status: 400, code: -32600 });
      expect(answer.json.error?.data).toEqual({ reason: 'INVALID_REQUEST', requestId: 'abc-2' });
      expect(answer.headers.get('x-request-id')).toBe('abc-2');
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    });

    it.each<[string, (headers: Record<string, string>) => Promise<RpcAnswer>]>([
      ['PARSE_ERROR', (headers) => post(url, '{', headers)],
      ['INVALID_REQUEST', (headers) => post(url, '['.repeat(33) + ']'.repeat(33), headers)],
      ['PAYLOAD_TOO_LARGE', (headers) => post(url, ' '.repeat(256 * 1024 + 1), headers)],
      ['UNSUPPORTED_MEDIA_TYPE', (headers) => post(url, '{}', { ...headers, 'content-type': 'text/plain' })],
      ['HTTP_METHOD_NOT_ALLOWED', (headers) => answerTo(fetch(url, { method: 'PUT', headers }))],
      ['UNKNOWN_ADDRESS', (headers) => post(`${world.url}/api/v9`, '{}', headers)],
      ['METHOD_NOT_FOUND', (headers) => call(url, 'pm_nothing', [], headers)],
      ['INVALID_API_KEY', (headers) => call(`${world.url}/api/v2/31337/x`, 'pm_chainId', [], headers)],
    ])('answers %s as rpc.discover shows it', async (reason, ask) => {
      const { json } = await call(`${world.url}/`, 'rpc.discover', []);
      const { errors } = json.result?.['components'] as { errors: Record<string, RpcAnswer['json']['error']> };
      const requestId = errors[reason]?.data['requestId'] as string;
      expect((await ask({ 'x-request-id': requestId })).json.error).toEqual(errors[reason]);
    });

    it('answers rpc.discover without a key', async () => {
      const { json } = await call(`${world.url}/`, 'rpc.discover', []);
      expect(json.result).toMatchObject({ openrpc: expect.any(String) });
    });
  });

  describe('origins', () => {
    it('answers a preflight of any page by default', async () => {
      const headers = { origin: 'https://dapp.example', 'access-control-request-headers': 'sentry-trace,traceparent' };
      const response = await fetch(url, { method: 'OPTIONS', headers });
      expect(response.status).toBe(204);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('access-control-allow-headers')).toMatch(
        /^content-type, .*, sentry-trace, traceparent$/,
      );
    });

    it('allows only pages of listed origins if the paymaster lists origins', async () => {
      const { snapshot } = world.newPaymaster();
      const settings = { ...snapshot.settings, allowedOrigins: ['https://dapp.example'] };
      const restricted = `${world.url}/api/v2/31337/${world.newPaymaster({ settings }).apiKey}`;
      const asked = await call(restricted, 'pm_sponsorUserOperation', params, { origin: 'https://dapp.example' });
      expect(asked.status).toBe(200);
      expect(asked.headers.get('access-control-allow-origin')).toBe('https://dapp.example');
      const foreign = await call(restricted, 'pm_sponsorUserOperation', params, { origin: 'https://evil.example' });
      expect(foreign.json.error).toMatchObject({ code: -32501, data: { reason: 'ORIGIN_NOT_ALLOWED' } });
      const preflight = await fetch(restricted, { method: 'OPTIONS', headers: { origin: 'https://evil.example' } });
      expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
    });
  });
});
