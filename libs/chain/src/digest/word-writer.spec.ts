import { UintRangeError, WordWriter } from './word-writer';

/** The word that `write` makes, in a buffer that had other content before. */
function wordOf(write: (words: WordWriter) => unknown): string {
  const bytes = Buffer.alloc(32, 0xff);
  write(new WordWriter(bytes));
  return bytes.toString('hex');
}

const SIZES = [8, 32, 48, 56, 128, 192, 256] as const;

describe('WordWriter', () => {
  it.each(SIZES)('writes the least and the most of %d bits, and nothing beyond', (bits) => {
    const most = 2n ** BigInt(bits) - 1n;
    for (const value of [0n, 1n, 2n ** 8n - 1n, most / 2n, most - 1n, most]) {
      expect(wordOf((words) => words.uint('value', value, bits))).toBe(value.toString(16).padStart(64, '0'));
    }
    for (const value of [-1n, most + 1n, 2n ** 256n]) {
      expect(() => wordOf((words) => words.uint('value', value, bits))).toThrow(new UintRangeError('value', bits));
    }
  });

  it('writes all that is around the border between numbers and digits', () => {
    for (const value of [2n ** 48n - 1n, 2n ** 48n, 2n ** 48n + 1n, 0x1_0000_0000_0001n]) {
      expect(wordOf((words) => words.uint('value', value, 256))).toBe(value.toString(16).padStart(64, '0'));
    }
  });

  it('packs two integers of 128 bits', () => {
    const [high, low] = [0xabcn, 2n ** 128n - 1n];
    const packed = wordOf((words) => words.packedUint128({ name: 'high', value: high }, { name: 'low', value: low }));
    expect(packed).toBe(((high << 128n) | low).toString(16).padStart(64, '0'));
    expect(() =>
      wordOf((words) => words.packedUint128({ name: 'high', value: 2n ** 128n }, { name: 'low', value: 0n })),
    ).toThrow(new UintRangeError('high', 128));
  });

  it('writes an address, and refuses what is none', () => {
    const address = `0x${'a1'.repeat(20)}`;
    expect(wordOf((words) => words.address('sender', address))).toBe(`${'00'.repeat(12)}${'a1'.repeat(20)}`);
    expect(() => wordOf((words) => words.address('sender', address.slice(0, -2)))).toThrow('sender is not an address');
    expect(() => wordOf((words) => words.address('sender', `0x${'zz'.repeat(20)}`))).toThrow(
      'not a word of hexadecimal digits',
    );
  });

  it('writes word behind word', () => {
    const bytes = Buffer.alloc(96, 0xff);
    new WordWriter(bytes)
      .uint('one', 1n, 8)
      .bytes32(Buffer.alloc(32, 7))
      .uint('big', 2n ** 255n, 256);
    expect(bytes.toString('hex')).toBe(`${'0'.repeat(63)}1${'07'.repeat(32)}8${'0'.repeat(63)}`);
  });
});
