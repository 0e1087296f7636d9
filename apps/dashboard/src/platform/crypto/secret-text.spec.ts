import {
  ASKING_BROWSER,
  AUTH_TOKEN,
  hashSecret,
  INVITATION_CODE,
  MAIL_CODE,
  SESSION_TOKEN,
  SIGN_IN_CODE,
} from './secret-text';

describe('secret texts', () => {
  it('carry 256 random bits behind a prefix, and are never the same', () => {
    const tokens = Array.from({ length: 100 }, () => AUTH_TOKEN.generate());
    expect(new Set(tokens).size).toBe(100);
    for (const token of tokens) {
      expect(token).toMatch(/^pm_auth_[A-Za-z0-9_-]{49}$/);
      expect(AUTH_TOKEN.isShaped(token)).toBe(true);
    }
  });

  it('tell a typo by their checksum', () => {
    const token = AUTH_TOKEN.generate();
    const other = token[20] === 'A' ? 'B' : 'A';
    expect(AUTH_TOKEN.isShaped(token.slice(0, 20) + other + token.slice(21))).toBe(false);
    expect(AUTH_TOKEN.isShaped(` ${token}`)).toBe(false);
    expect(AUTH_TOKEN.isShaped(`${token}\n`)).toBe(false);
  });

  it('of one kind are not of another, whatever prefix is put in front', () => {
    const kinds = [AUTH_TOKEN, SESSION_TOKEN, SIGN_IN_CODE, INVITATION_CODE, MAIL_CODE, ASKING_BROWSER];
    const texts = kinds.map((kind) => kind.generate());
    expect(kinds.map((kind) => texts.map((text) => kind.isShaped(text)))).toEqual(
      kinds.map((_kind, row) => texts.map((_text, column) => row === column)),
    );
    expect(AUTH_TOKEN.isShaped(SESSION_TOKEN.generate().replace('pm_session_', 'pm_auth_'))).toBe(false);
  });

  it('are stored as their SHA-256', () => {
    expect(hashSecret('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});
