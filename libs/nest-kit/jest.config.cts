module.exports = { displayName: 'nest-kit', preset: '../../jest.preset.js' };
