/** @jest-config-loader-options {"transpileOnly": true} */
module.exports = {
  displayName: 'paymaster-rpc',
  preset: '../../jest.preset.js',
  setupFilesAfterEnv: ['<rootDir>/src/testing/timeouts.ts'],
};
