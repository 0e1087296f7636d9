// What mutants of services.json are run with: as jest.preset.js, without what takes Nx two seconds at every start.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const ROOT = join(__dirname, '../..');
const read = (file) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
const { paths } = read('tsconfig.base.json').compilerOptions;

module.exports = {
  rootDir: ROOT,
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/devnet'],
  testEnvironment: 'node',
  testMatch: ['**/*.spec.ts'],
  transform: { '^.+\\.[tj]s$': ['@swc/jest', { ...read('.swcrc.jest.json'), swcrc: false }] },
  moduleFileExtensions: ['ts', 'js', 'json'],
  moduleNameMapper: Object.fromEntries(Object.entries(paths).map(([name, [file]]) => [`^${name}$`, join(ROOT, file)])),
  setupFilesAfterEnv: [join(ROOT, 'tools/jest/seed.ts')],
  testTimeout: 120_000,
  bail: 1,
  silent: true,
  // A mutant may leave something running; that a test failed says enough.
  forceExit: true,
};
