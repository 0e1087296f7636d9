import { NEW_KEY, type KeyDraft } from './key-draft';
import { keySentences } from './key-sentences';

const policyName = (id: string) => (id === 'known' ? 'Ten a day' : undefined);

describe('keySentences', () => {
  it.each<[Partial<KeyDraft>, string]>([
    [{}, 'It may do all that the paymaster sponsors.'],
    [{ allowedOrigins: [] }, 'It may do all that the paymaster sponsors.'],
    [{ allowedOrigins: ['https://a.test', 'https://b.test'] }, 'Only pages of https://a.test and https://b.test may send it.'], // prettier-ignore
    [{ allowedNetworks: ['203.0.113.0/24'] }, 'It works from 203.0.113.0/24 only.'],
    [{ allowedSenders: ['0x1', '0x2'] }, 'It asks for operations of the 2 listed accounts only.'],
    [{ allowedMethods: ['pm_chainId', 'a', 'b'] }, 'It calls pm_chainId, a and b, and no other method.'],
    [{ bundler: 'off' }, 'It sends no operations: apps that use it need another bundler.'],
    [{ bundler: 'sponsored' }, 'It sends only operations that this paymaster signed, sponsored or paid in a token.'],
    [{ bundler: 'any' }, 'It may do all that the paymaster sponsors.'],
    [{ policyIds: ['known'] }, 'It sponsors by Ten a day only. While none of them is active, it sponsors nothing.'],
    [{ policyIds: ['0123456789'] }, 'It sponsors by a policy that is gone (01234567…) only. While none of them is active, it sponsors nothing.'], // prettier-ignore
    [{ sessionRequired: true }, 'Each request needs a session token that your server signed.'],
    [
      { limits: [{ scope: 'KEY', measure: 'COUNT', amount: '100', cycle: 'DAY' }] },
      'All accounts together: at most 100 operations in each day (UTC).',
    ],
    [
      { limits: [{ scope: 'USER', measure: 'USD', amount: 5, cycle: 'MONTH' }] },
      'Each account: at most 5 USD of gas in each month (UTC).',
    ],
  ])('says %j in words', (terms, sentence) => {
    expect(keySentences({ ...NEW_KEY, ...terms }, { symbol: 'ETH', policyName })).toEqual([sentence]);
  });

  it('says until when a key works', () => {
    const [sentence] = keySentences({ ...NEW_KEY, expiresAt: '2030-01-31T12:00:00.000Z' }, { symbol: '', policyName });
    expect(sentence).toMatch(/^It works until 31 Jan 2030, .+\.$/);
  });
});
