/** @jest-config-loader-options {"transpileOnly": true} */
module.exports = { displayName: 'dashboard', preset: '../../jest.preset.js' };
