// Over the wire only: needs the local world running (`npm start`).
module.exports = { displayName: 'dashboard-e2e', preset: '../../jest.preset.js' };
