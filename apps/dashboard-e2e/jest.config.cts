module.exports = { displayName: 'dashboard-e2e', preset: '../../jest.preset.js', testTimeout: 30_000 };
