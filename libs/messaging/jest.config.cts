/** @jest-config-loader-options {"transpileOnly": true} */
module.exports = { displayName: 'messaging', preset: '../../jest.preset.js' };
