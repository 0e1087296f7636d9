// The settings every Jest project shares: swc for speed (types are checked by `npm run lint`), the path aliases of tsconfig.base.json.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const read = (file) => JSON.parse(readFileSync(join(__dirname, file), 'utf8'));
const { paths } = read('tsconfig.base.json').compilerOptions;

module.exports = {
  testEnvironment: join(__dirname, 'tools/jest/one-realm.environment.cjs'),
  runtime: join(__dirname, 'tools/jest/native-packages.runtime.cjs'),
  testMatch: ['**/*.spec.ts'],
  // Not with the temporary files, which a run of all tests removes.
  cacheDirectory: join(__dirname, 'node_modules/.cache/jest'),
  transform: { '^.+\\.[tj]s$': ['@swc/jest', { ...read('.swcrc.jest.json'), swcrc: false }] },
  moduleFileExtensions: ['ts', 'js', 'json'],
  moduleNameMapper: Object.fromEntries(
    Object.entries(paths).map(([name, [file]]) => [`^${name}$`, join(__dirname, file)]),
  ),
  setupFilesAfterEnv: [join(__dirname, 'tools/jest/seed.ts')],
};
