/** @jest-config-loader-options {"transpileOnly": true} */
module.exports = { displayName: 'tracing', preset: '../../jest.preset.js' };
