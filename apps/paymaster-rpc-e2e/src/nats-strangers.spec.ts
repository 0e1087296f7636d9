import { connect } from 'nats';
import { readStack } from '@paymaster/devnet';

const stack = readStack();

describe("the local world's NATS", () => {
  it.each([
    ['nobody in particular', {}],
    ['an app without its password', { user: 'dashboard', pass: 'dashboard' }],
    ['an app that is not ours', { user: 'admin', pass: 'admin' }],
  ])('does not let in %s', async (_who, credentials) => {
    const connection = connect({ servers: stack.natsUrl, reconnect: false, ...credentials });
    await expect(connection).rejects.toThrow(/authorization/i);
  });
});
