module.exports = { displayName: 'turns', preset: '../../jest.preset.js' };
