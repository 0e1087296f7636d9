/** @jest-config-loader-options {"transpileOnly": true} */
module.exports = { displayName: 'tools', preset: '../jest.preset.js' };
