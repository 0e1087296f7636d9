module.exports = {
  displayName: 'ledger',
  preset: '../../jest.preset.js',
  setupFilesAfterEnv: ['<rootDir>/src/testing/timeouts.ts'],
};
