/** @jest-config-loader-options {"transpileOnly": true} */
module.exports = { displayName: 'webhooks', preset: '../../jest.preset.js' };
