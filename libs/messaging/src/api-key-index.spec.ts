import { API_KEY_INDEX_KEYS_OLD_PATTERN, apiKeyIndex, indexKeysOf } from './api-key-index';

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

describe('indexKeysOf', () => {
  const [a, b, c] = ['11'.repeat(32), '22'.repeat(32), `0x${'33'.repeat(32)}`] as const;

  it('puts the current key before the others', () => {
    expect(indexKeysOf({ apiKeyIndexKey: a })).toEqual([a]);
    expect(indexKeysOf({ apiKeyIndexKey: a, apiKeyIndexKeysOld: '' })).toEqual([a]);
    expect(indexKeysOf({ apiKeyIndexKey: a, apiKeyIndexKeysOld: `${b} , ${c}` })).toEqual([a, b, c]);
  });

  it.each([[b], [`${b},${c}`], [`${b}, ${c} ,${a}`]])('may be three others at most: %s', (others) => {
    expect(others).toMatch(API_KEY_INDEX_KEYS_OLD_PATTERN);
    expect(`${others}, ${b}, ${b}, ${b}`).not.toMatch(API_KEY_INDEX_KEYS_OLD_PATTERN);
    expect(`${others},`).not.toMatch(API_KEY_INDEX_KEYS_OLD_PATTERN);
    expect(others.slice(1)).not.toMatch(API_KEY_INDEX_KEYS_OLD_PATTERN);
  });
});
