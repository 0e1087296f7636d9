// In a browser, against the local world (`npm start`).
module.exports = {
  displayName: 'dashboard-web-e2e',
  preset: '../../jest.preset.js',
  setupFilesAfterEnv: ['<rootDir>/src/support/timeouts.ts'],
};
