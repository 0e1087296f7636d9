// Over the wire only: needs the local world running (`npm start`) and the clients folder installed.
module.exports = { displayName: 'paymaster-rpc-e2e', preset: '../../jest.preset.js' };
