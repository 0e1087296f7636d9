/** @jest-config-loader-options {"transpileOnly": true} */
module.exports = { displayName: 'dashboard-web', preset: '../../jest.preset.js' };
