module.exports = { displayName: 'paymaster-rpc', preset: '../../jest.preset.js' };
