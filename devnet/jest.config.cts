module.exports = { displayName: 'devnet', preset: '../jest.preset.js' };
