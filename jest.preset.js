// The settings every Jest project shares: swc for speed (types are checked by `npm run lint`), the path aliases of tsconfig.base.json.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const nxPreset = require('@nx/jest/preset').default;
const swc = JSON.parse(readFileSync(join(__dirname, '.swcrc.jest.json'), 'utf8'));

module.exports = {
  ...nxPreset,
  testEnvironment: 'node',
  testMatch: ['**/*.spec.ts'],
  transform: { '^.+\\.[tj]s$': ['@swc/jest', { ...swc, swcrc: false }] },
  moduleFileExtensions: ['ts', 'js', 'json'],
  setupFilesAfterEnv: [join(__dirname, 'tools/jest/seed.ts')],
};
