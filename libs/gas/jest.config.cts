module.exports = { displayName: 'gas', preset: '../../jest.preset.js' };
