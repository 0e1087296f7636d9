module.exports = { displayName: 'devnet', preset: '../jest.preset.js', testTimeout: 60_000 };
