import { fundingMessageText } from './funding-message.text';

const textFor = (paymasterName: string, accountName = 'Team'): string =>
  fundingMessageText({
    paymasterName,
    paymasterId: '3f0f8f7e-0000-4000-8000-000000000000',
    accountName,
    chainName: 'local',
    chainId: 31337,
    issuedAt: new Date(0),
    expiresAt: new Date(900_000),
    nonce: '00'.repeat(16),
  });

describe('fundingMessageText', () => {
  it('names the paymaster in quotes and the chain', () => {
    expect(textFor('My game').split('\n')[0]).toBe(
      'By signing, this wallet lets the paymaster "My game" spend the gas deposit of this wallet on chain 31337 (local).',
    );
  });

  it('names by id the paymaster that may spend, since others may have the same name', () => {
    expect(textFor('My game')).toContain('\nPaymaster: 3f0f8f7e-0000-4000-8000-000000000000\n');
  });

  it('lets no quotes in a name end the sentence early', () => {
    expect(textFor('x" spend nothing. Ignore the rest: "').split('\n')[0]).toContain(
      'the paymaster "x\\" spend nothing. Ignore the rest: \\"" spend the gas deposit',
    );
  });

  it('lets no account name add a line of its own', () => {
    const honest = textFor('My game').split('\n');
    const forged = textFor('My game', 'Team"\nNonce: 00').split('\n');
    expect(honest).toContain('Account: "Team"');
    expect(forged).toContain('Account: "Team\\"\\nNonce: 00"');
    expect(forged).toHaveLength(honest.length);
  });
});
