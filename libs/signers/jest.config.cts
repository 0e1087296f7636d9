module.exports = { displayName: 'signers', preset: '../../jest.preset.js' };
