/** @jest-config-loader-options {"transpileOnly": true} */
module.exports = { displayName: 'pricing', preset: '../../jest.preset.js' };
