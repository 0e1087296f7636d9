/**
 * Lets Node run our TypeScript (`node -r ./devnet/load-typescript.cjs FILE`), compiled as for the tests. It does what
 * @swc-node/register does, but without the TypeScript compiler, which takes a fourth of a second of each process. What
 * was compiled once is kept, because a test starts many processes and each would compile hundreds of files for 1.5 s.
 */
const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { enableCompileCache } = require('node:module');
const { join } = require('node:path');

const ROOT = join(__dirname, '..');
const read = (file) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
const { jsc, ...settings } = read('.swcrc.jest.json');
const { paths } = read('tsconfig.base.json').compilerOptions;
const options = { ...settings, swcrc: false, jsc: { ...jsc, baseUrl: ROOT, paths } };

const CACHE = join(ROOT, 'node_modules/.cache/paymaster-typescript');
// What V8 makes of the code, also of packages: to compile that anew takes a third of a start. Tools name the same folder
// in NODE_COMPILE_CACHE; some tests start a process without their environment.
enableCompileCache(join(ROOT, 'node_modules/.cache/node'));
const compiler = JSON.stringify([options, require('@swc/core/package.json').version]);

process.setSourceMapsEnabled(true);
require.extensions['.ts'] = (module, filename) => {
  module._compile(compiled(filename), filename);
};

/** The file as JavaScript, from the cache when the same text was compiled before in the same way. */
function compiled(filename) {
  const source = readFileSync(filename, 'utf8');
  const name = createHash('sha256').update(compiler).update(filename).update(source).digest('hex');
  const kept = join(CACHE, `${name}.js`);
  try {
    return readFileSync(kept, 'utf8');
  } catch {
    const { code } = require('@swc/core').transformSync(source, { ...options, filename });
    keep(kept, code);
    return code;
  }
}

/** In one step, because other processes read it. A folder that cannot be written, as in an image, only costs time. */
function keep(file, code) {
  const unfinished = `${file}.${process.pid}`;
  try {
    mkdirSync(CACHE, { recursive: true });
    writeFileSync(unfinished, code);
    renameSync(unfinished, file);
  } catch {}
}
