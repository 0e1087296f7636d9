/** @jest-config-loader-options {"transpileOnly": true} */
module.exports = {
  displayName: 'dashboard',
  preset: '../../jest.preset.js',
  setupFilesAfterEnv: ['<rootDir>/src/testing/timeouts.ts'],
};
