module.exports = { displayName: 'dashboard-web', preset: '../../jest.preset.js' };
