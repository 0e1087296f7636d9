import { randomBytes } from 'node:crypto';
import { ecdsaSign, signatureExport } from 'secp256k1';
import { fromDerSignature } from './der-signature';

describe('fromDerSignature', () => {
  it('reads 500 signatures as the library wrote them, short integers too', () => {
    for (let round = 0; round < 500; round++) {
      const { signature } = ecdsaSign(randomBytes(32), randomBytes(32));
      expect(Buffer.from(fromDerSignature(signatureExport(signature))).equals(signature)).toBe(true);
    }
    const tiny = fromDerSignature(Buffer.from('3006020101020102', 'hex'));
    expect(Buffer.from(tiny).toString('hex')).toBe(`${'1'.padStart(64, '0')}${'2'.padStart(64, '0')}`);
  });

  it.each([
    ['nothing', ''],
    ['another tag', '3106020101020102'],
    ['a wrong length', '3007020101020102'],
    ['a byte at the end', '300602010102010200'],
    ['a byte inside the sequence at the end', '300702010102010200'],
    ['one integer', '3003020101'],
    ['an empty integer', '30050200020102'],
    ['a negative integer', '3006020181020102'],
    ['a padded integer', '300702020001020102'],
    ['an integer of 33 bytes', `3026022101${'00'.repeat(32)}020101`],
    ['an integer that is cut off', '3006020101020502'],
  ])('refuses %s', (_title, hex) => {
    expect(() => fromDerSignature(Buffer.from(hex, 'hex'))).toThrow('the signature is not DER of two integers');
  });
});
