module.exports = {
  displayName: 'settlement',
  preset: '../../jest.preset.js',
  setupFilesAfterEnv: ['<rootDir>/src/testing/timeouts.ts'],
};
