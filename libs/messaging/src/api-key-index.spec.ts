import { apiKeyIndex } from './api-key-index';

describe('apiKeyIndex', () => {
  it('is the HMAC of RFC 4231, test case 2, for a key padded to 32 bytes', () => {
    const key = Buffer.from('Jefe').toString('hex').padEnd(64, '0');
    expect(apiKeyIndex('what do ya want for nothing?', key)).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
  });

  it('does not care whether the index key carries 0x', () => {
    expect(apiKeyIndex('a', `0x${'11'.repeat(32)}`)).toBe(apiKeyIndex('a', '11'.repeat(32)));
  });

  it('differs under another index key', () => {
    expect(apiKeyIndex('a', '11'.repeat(32))).not.toBe(apiKeyIndex('a', '22'.repeat(32)));
  });
});
