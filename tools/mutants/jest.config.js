// What mutants of services.json are run with: as jest.preset.js, and ends at the first test that fails.
const { join } = require('node:path');

module.exports = {
  ...require('../../jest.preset.js'),
  rootDir: join(__dirname, '../..'),
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/devnet'],
  testTimeout: 300_000,
  bail: 1,
  testEnvironmentOptions: { bail: true },
  silent: true,
  // A mutant may leave something running; that a test failed says enough.
  forceExit: true,
};
