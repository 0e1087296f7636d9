module.exports = { displayName: 'chain', preset: '../../jest.preset.js' };
