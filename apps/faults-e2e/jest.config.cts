// Starts a world of its own from the built apps; the one of STACK_FILE is left alone.
module.exports = { displayName: 'faults-e2e', preset: '../../jest.preset.js' };
