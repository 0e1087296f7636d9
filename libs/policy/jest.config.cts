/** @jest-config-loader-options {"transpileOnly": true} */
module.exports = { displayName: 'policy', preset: '../../jest.preset.js' };
