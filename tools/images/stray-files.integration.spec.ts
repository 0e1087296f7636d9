import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { strayFiles } from './stray-files';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'paymaster-stray-spec-'));
  for (const name of ['main.js', 'migrate.js', 'rotate-encryption.js', 'package.json', 'package-lock.json'])
    put(`app/${name}`);
  put('app/healthcheck.mjs');
  installed({ 'node_modules/pg': {} });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(path: string, content = ''): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

function installed(packages: Record<string, { dev?: boolean }>): void {
  put('app/node_modules/.package-lock.json', JSON.stringify({ packages }));
}

describe('strayFiles', () => {
  it('lets bundles, packages and the healthcheck pass', () => {
    expect(strayFiles({ root, workdir: '/app' })).toEqual([]);
  });

  it.each(['main.js.map', '.env', '.git/HEAD', 'src/main.ts', 'main.spec.ts', 'tsconfig.json'])('names %s', (path) => {
    put(`app/${path}`);
    expect(strayFiles({ root, workdir: '/app' })).toEqual([`/app/${path.split('/')[0]}`]);
  });

  it('names what is beside the folder of the app', () => {
    put('workspace/package.json');
    expect(strayFiles({ root, workdir: '/app' })).toEqual(['workspace']);
  });

  it('names packages for development', () => {
    installed({ 'node_modules/pg': {}, 'node_modules/typescript': { dev: true } });
    expect(strayFiles({ root, workdir: '/app' })).toEqual(['node_modules/typescript']);
  });

  it('names packages that npm has no record of', () => {
    rmSync(join(root, 'app/node_modules/.package-lock.json'));
    expect(strayFiles({ root, workdir: '/app' })).toEqual([join(root, 'app/node_modules/.package-lock.json')]);
  });
});
