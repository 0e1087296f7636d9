import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ROOT } from './environment';

const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
/** What the registry has: references of a repository and their digests. */
let registry: Record<string, string>;
let server: Server;
let folder: string;
const dockerfile = () => join(folder, 'app.Dockerfile');

beforeEach(async () => {
  registry = { 'library/node/20-slim': digest('a'), [`library/node/${digest('a')}`]: digest('a') };
  server = createServer(({ url = '' }, response) => {
    const [, repository, reference] = /^\/v2\/(.*)\/manifests\/(.*)$/.exec(url) ?? [];
    const found = registry[`${repository}/${reference}`];
    response.writeHead(found ? 200 : 404, found ? { 'docker-content-digest': found } : {}).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  folder = mkdtempSync(join(tmpdir(), 'paymaster-pin-'));
  writeFileSync(dockerfile(), `FROM node:20-slim@${digest('a')} AS build\nFROM node:20-slim@${digest('a')}\n`);
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await new Promise((resolve) => server.close(resolve));
});

async function pin(...args: string[]): Promise<{ code: number; out: string }> {
  const child = spawn(process.execPath, [join(ROOT, 'docker/pin-base-image.mjs'), ...args], {
    env: { DOCKER_FOLDER: folder, REGISTRY: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
  });
  const [out, error, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code, out: `${out}${error}` };
}

describe('pin-base-image', () => {
  it('is content with a digest that the registry has and its version is', async () => {
    expect(await pin()).toEqual({ code: 0, out: '1 images looked up, 0 lines outdated.\n' });
  });

  it('says so when the version has moved on, and moves every FROM when asked to', async () => {
    registry['library/node/20-slim'] = digest('b');
    expect(await pin()).toMatchObject({ code: 1, out: expect.stringContaining(`node:20-slim is ${digest('b')}`) });
    expect((await pin('--write')).code).toBe(0);
    expect(readFileSync(dockerfile(), 'utf8')).toBe(
      `FROM node:20-slim@${digest('b')} AS build\nFROM node:20-slim@${digest('b')}\n`,
    );
  });

  it('fails for a digest that the registry does not have', async () => {
    delete registry[`library/node/${digest('a')}`];
    expect(await pin()).toMatchObject({ code: 1, out: expect.stringContaining('has no such digest') });
  });

  it('changes nothing when the registry does not know the version', async () => {
    registry = {};
    expect(await pin('--write')).toMatchObject({ code: 1, out: expect.stringContaining('knows no node:20-slim') });
    expect(readFileSync(dockerfile(), 'utf8')).toContain(digest('a'));
  });
});
