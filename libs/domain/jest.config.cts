/** @jest-config-loader-options {"transpileOnly": true} */
module.exports = { displayName: 'domain', preset: '../../jest.preset.js' };
