/** @jest-config-loader-options {"transpileOnly": true} */
module.exports = { displayName: 'paymaster-rpc', preset: '../../jest.preset.js' };
