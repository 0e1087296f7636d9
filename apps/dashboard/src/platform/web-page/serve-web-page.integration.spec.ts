import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OutgoingHttpHeaders } from 'node:http';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { startDashboard, type DashboardUnderTest } from '../../testing/dashboard-under-test';

const INDEX =
  '<!doctype html><meta name="csp-nonce" content=""><meta name="gateway-url" content="">' +
  '<meta name="chain-ids" content=""><meta name="mail" content=""><div id="root"></div>';
const SCRIPT = 'export const text = "again and again and again and again and again";';
const GATEWAY = 'https://gateway.example.org';

let folder: string;
let dashboard: DashboardUnderTest;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'paymaster-page-'));
  mkdirSync(join(folder, 'web/assets'), { recursive: true });
  writeFileSync(join(folder, 'web/index.html'), INDEX);
  writeFileSync(join(folder, 'web/favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(join(folder, 'web/build-manifest.json'), '{}');
  writeFileSync(join(folder, 'web/assets/index-AbCd1234.js'), 'export {};');
  writeFileSync(join(folder, 'web/assets/page-AbCd1234.js'), SCRIPT);
  writeFileSync(join(folder, 'web/assets/page-AbCd1234.js.br'), brotliCompressSync(SCRIPT));
  writeFileSync(join(folder, 'web/assets/page-AbCd1234.js.gz'), gzipSync(SCRIPT));
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  dashboard = await startDashboard({
    env: { WEB_PAGE_DIR: join(folder, 'web'), PUBLIC_GATEWAY_URL: GATEWAY },
    nats: false,
  });
});

afterAll(async () => {
  await dashboard.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function get(url: string): Promise<{ status: number; headers: OutgoingHttpHeaders; text: string }> {
  const { statusCode, headers, body } = await dashboard.app.inject({ method: 'GET', url });
  return { status: statusCode, headers, text: body };
}

describe('the page', () => {
  it.each(['/', '/sign-in?from=%2Fa%2F1', '/no-account', '/operator?view=chains', '/a/1/p/2/operations?state=refused'])(
    'is served at %s, and is not cached',
    async (url) => {
      const { status, headers, text } = await get(url);
      expect([status, headers['content-type'], headers['cache-control']]).toEqual([
        200,
        'text/html; charset=utf-8',
        'no-store',
      ]);
      expect(text).toContain('<div id="root">');
      expect(text).toContain(`name="gateway-url" content="${GATEWAY}"`);
      expect(text).toContain('name="chain-ids" content="31337 31338 31339"');
    },
  );

  it('has a policy without inline scripts, frames or other origins, and a new nonce each time', async () => {
    const [one, other] = [await get('/'), await get('/')];
    const nonce = /name="csp-nonce" content="([\w-]{24})"/.exec(one.text)?.[1];
    expect(one.headers['content-security-policy']).toBe(
      `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; ` +
        `connect-src 'self' ${GATEWAY}; ` +
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(one.text).not.toBe(other.text);
  });

  it('forbids frames, other content types and referrers to other sites', async () => {
    const { headers } = await get('/');
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    });
    expect(headers['permissions-policy']).toContain('camera=()');
  });
});

describe('its files', () => {
  it('are cached for ever when their names have a hash', async () => {
    const { status, headers, text } = await get('/assets/index-AbCd1234.js');
    expect([status, text]).toEqual([200, 'export {};']);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(headers['content-type']).toMatch(/javascript/);
  });

  it('include an icon', async () => {
    expect((await get('/favicon.svg')).headers['content-type']).toBe('image/svg+xml');
  });

  it.each([
    '/assets/../index.html',
    '/assets/%2e%2e/%2e%2e/secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/assets/....//secret.txt',
    '/..%5csecret.txt',
    '/build-manifest.json',
    '/index.html',
    '/assets/',
    '/assets/none.js',
  ])('end where the folder ends: %s', async (url) => {
    const { status, text } = await get(url);
    expect(status).toBe(404);
    expect(text).not.toContain('secret');
    expect(JSON.parse(text)).toMatchObject({ statusCode: 404 });
  });
});

describe('what the build compressed', () => {
  const ask = async (acceptEncoding: string | undefined, { method = 'GET', ...more }: Asked = {}) => {
    const headers = { ...(acceptEncoding !== undefined && { 'accept-encoding': acceptEncoding }), ...more.headers };
    const answer = await dashboard.app.inject({ method, url: more.url ?? '/assets/page-AbCd1234.js', headers });
    return { status: answer.statusCode, headers: answer.headers, bytes: answer.rawPayload };
  };
  interface Asked {
    readonly method?: 'GET' | 'HEAD';
    readonly url?: string;
    readonly headers?: Record<string, string>;
  }

  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['identity;q=0, br', 'br'],
    ['identity;q=0', undefined],
    ['br;q=0, gzip;q=0', undefined],
    ['zstd', undefined],
    ['identity', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('is sent to who accepts %j as %s', async (accepted, encoding) => {
    const { status, headers, bytes } = await ask(accepted);
    expect([status, headers['content-encoding'], headers['vary']]).toEqual([200, encoding, 'accept-encoding']);
    expect(headers['content-type']).toMatch(/^(application|text)\/javascript/);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    const plain = { br: brotliDecompressSync, gzip: gunzipSync }[encoding ?? ''];
    expect((plain?.(bytes) ?? bytes).toString()).toBe(SCRIPT);
    expect(Number(headers['content-length'])).toBe(bytes.length);
  });

  it('has a tag of its own for each encoding, by which it is not sent again', async () => {
    const tags = await Promise.all(['br', 'gzip', 'identity'].map(async (each) => (await ask(each)).headers.etag));
    expect(new Set(tags).size).toBe(3);
    const again = await ask('br', { headers: { 'if-none-match': String(tags[0]) } });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
  });

  it('answers HEAD with the same headers and no body', async () => {
    const { status, headers, bytes } = await ask('br', { method: 'HEAD' });
    expect([status, headers['content-encoding'], bytes.length]).toEqual([200, 'br', 0]);
    expect(headers['content-length']).toBe(String(brotliCompressSync(SCRIPT).length));
  });

  it('is sent in parts as it is stored', async () => {
    const plain = await ask(undefined, { headers: { range: 'bytes=0-5' } });
    expect([plain.status, plain.bytes.toString()]).toEqual([206, 'export']);
    const { status, headers, bytes } = await ask('br', { headers: { range: 'bytes=2-5' } });
    expect([status, headers['content-encoding']]).toEqual([206, 'br']);
    expect(bytes).toEqual(brotliCompressSync(SCRIPT).subarray(2, 6));
  });

  it('has no path of its own, and leads nowhere else', async () => {
    for (const url of ['/assets/page-AbCd1234.js.br', '/assets/page-AbCd1234.js.gz', '/assets/..%2f..%2fsecret.txt']) {
      expect((await ask('br', { url })).status).toBe(404);
    }
  });

  it('is all that is compressed: no document, no answer of the API', async () => {
    for (const url of [
      '/',
      '/favicon.svg',
      '/docs',
      '/docs-json',
      '/api/v2/public/sdk/session',
      '/assets/index-AbCd1234.js',
    ]) {
      const { status, headers } = await ask('br, gzip, deflate', { url });
      expect([url, status < 500, headers['content-encoding']]).toEqual([url, true, undefined]);
    }
  });
});

describe('other paths', () => {
  it.each(['/api/v2/public/sdk/none', '/api', '/b/1', '/sign-in/more', '/operator/more'])(
    'stay JSON with 404: %s',
    async (url) => {
      const { status, headers, text } = await get(url);
      expect([status, headers['cache-control']]).toEqual([404, 'no-store']);
      expect(JSON.parse(text)).toMatchObject({ statusCode: 404, message: 'Not found' });
    },
  );

  it('still show the API document', async () => {
    expect((await get('/docs')).text).toContain('swagger');
  });
});

it('refuses to start on a folder that holds no page', async () => {
  const options = { env: { WEB_PAGE_DIR: join(folder, 'none') }, nats: false };
  await expect(startDashboard(options)).rejects.toThrow(/no such file/);
});
