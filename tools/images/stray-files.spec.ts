import { strayFiles } from './stray-files';

const BASE = { paths: ['/usr', '/usr/bin/sh'] };
const OWN = [
  '/app',
  '/app/main.js',
  '/app/migrate.js',
  '/app/package.json',
  '/app/healthcheck.mjs',
  '/app/web/index.html',
  '/app/web/assets/index-CopNUFWj.js',
  '/app/web/assets/index-CopNUFWj.js.br',
  '/app/web/assets/index-CopNUFWj.js.gz',
  '/app/node_modules',
];

const straysWith = (path: string) => strayFiles({ paths: [...BASE.paths, ...OWN, path], packages: PG }, BASE);
const PG = { 'node_modules/pg': {} };

describe('strayFiles', () => {
  it('lets files of the base, bundles, packages and the healthcheck pass', () => {
    expect(straysWith('/usr')).toEqual([]);
  });

  it.each([
    ...[
      '/app/main.js.map',
      '/app/.env',
      '/app/.npmrc',
      '/app/.git/HEAD',
      '/app/web/build-manifest.json',
      '/app/src/main.ts',
      '/app/main.spec.ts',
    ],
    ...['/workspace/package.json', '/root/.npm/_cacache', '/usr/local/bin/npm', '/run/secrets/database_url'],
  ])('names %s', (path) => {
    expect(straysWith(path)).toEqual([path]);
  });

  it('names packages for development', () => {
    const packages = { ...PG, 'node_modules/typescript': { dev: true } };
    expect(strayFiles({ paths: OWN, packages }, BASE)).toEqual(['node_modules/typescript']);
  });

  it('names packages that npm has no record of', () => {
    expect(strayFiles({ paths: OWN, packages: {} }, BASE)).toEqual(['/app/node_modules']);
  });
});
