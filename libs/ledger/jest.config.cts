/** @jest-config-loader-options {"transpileOnly": true} */
module.exports = { displayName: 'ledger', preset: '../../jest.preset.js' };
