/** @jest-config-loader-options {"transpileOnly": true} */
module.exports = { displayName: 'chain', preset: '../../jest.preset.js' };
