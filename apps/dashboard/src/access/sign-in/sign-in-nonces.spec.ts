import { SignInNonces } from './sign-in-nonces';

const nonces = new SignInNonces({ apiKeyIndexKey: '11'.repeat(32) });
const NOW_MS = 1_800_000_000_000;

describe('nonces for signing in', () => {
  it('are current for ten minutes, in every process with the same key', () => {
    const nonce = nonces.issue(NOW_MS);
    const other = new SignInNonces({ apiKeyIndexKey: '11'.repeat(32) });
    expect(other.isCurrent(nonce, NOW_MS)).toBe(true);
    expect(other.isCurrent(nonce, NOW_MS + 599_000)).toBe(true);
    expect(other.isCurrent(nonce, NOW_MS + 600_000)).toBe(false);
  });

  it('are never the same, and letters and digits only, as ERC-4361 has them', () => {
    const all = Array.from({ length: 100 }, () => nonces.issue(NOW_MS));
    expect(new Set(all).size).toBe(100);
    for (const nonce of all) expect(nonce).toMatch(/^[a-zA-Z0-9]{8,}$/);
  });

  it('are not believed when somebody else made them, or made them last longer', () => {
    const nonce = nonces.issue(NOW_MS);
    const foreign = new SignInNonces({ apiKeyIndexKey: '22'.repeat(32) }).issue(NOW_MS);
    const longer = `ff${nonce.slice(2)}`;
    for (const each of [foreign, longer, nonce.toUpperCase(), `${nonce}0`, '', 'a1b2c3d4']) {
      expect(nonces.isCurrent(each, NOW_MS)).toBe(false);
    }
  });

  it('are for one thing: one for a wallet is none for a passkey, and one of a person none of another', () => {
    const [wallet, passkey, added] = ['', 'passkey', 'passkey of Ada'].map((what) => nonces.issue(NOW_MS, what));
    expect(nonces.isCurrent(passkey!, NOW_MS, 'passkey')).toBe(true);
    for (const other of [wallet, added]) expect(nonces.isCurrent(other!, NOW_MS, 'passkey')).toBe(false);
    expect(nonces.isCurrent(passkey!, NOW_MS)).toBe(false);
  });
});
