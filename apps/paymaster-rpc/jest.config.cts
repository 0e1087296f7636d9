module.exports = {
  displayName: 'paymaster-rpc',
  preset: '../../jest.preset.js',
  setupFilesAfterEnv: ['<rootDir>/src/testing/timeouts.ts'],
};
