import { generateAuthToken, hashAuthToken, isAuthTokenShaped } from './auth-token';

describe('auth tokens', () => {
  it('carry 256 random bits behind a prefix, and are never the same', () => {
    const tokens = Array.from({ length: 100 }, generateAuthToken);
    expect(new Set(tokens).size).toBe(100);
    for (const token of tokens) {
      expect(token).toMatch(/^pm_auth_[A-Za-z0-9_-]{49}$/);
      expect(isAuthTokenShaped(token)).toBe(true);
    }
  });

  it('tell a typo by their checksum', () => {
    const token = generateAuthToken();
    const other = token[20] === 'A' ? 'B' : 'A';
    expect(isAuthTokenShaped(token.slice(0, 20) + other + token.slice(21))).toBe(false);
    expect(isAuthTokenShaped(` ${token}`)).toBe(false);
    expect(isAuthTokenShaped(`${token}\n`)).toBe(false);
  });

  it('are stored as their SHA-256', () => {
    expect(hashAuthToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});
