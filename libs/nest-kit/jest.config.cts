/** @jest-config-loader-options {"transpileOnly": true} */
module.exports = { displayName: 'nest-kit', preset: '../../jest.preset.js' };
