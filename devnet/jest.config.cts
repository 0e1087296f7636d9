/** @jest-config-loader-options {"transpileOnly": true} */
module.exports = { displayName: 'devnet', preset: '../jest.preset.js' };
