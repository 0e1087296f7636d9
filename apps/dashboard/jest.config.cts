module.exports = { displayName: 'dashboard', preset: '../../jest.preset.js', testTimeout: 60_000 };
