import { readPublicKey } from './read-public-key';

const PEM = '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----';

describe('readPublicKey', () => {
  it('reads PEM and JWK', () => {
    expect(readPublicKey(` ${PEM}\n\n`)).toEqual({ publicKey: `${PEM}\n` });
    expect(readPublicKey('{ "kty": "OKP" }')).toEqual({ publicKey: { kty: 'OKP' } });
  });

  it.each(['-----BEGIN PRIVATE KEY-----\nMC4=', '{ "kty": "OKP", "d": "secret" }'])(
    'keeps a private key in the browser: %s',
    (text) => {
      expect(readPublicKey(text)).toEqual({ problem: expect.stringContaining('private key') });
    },
  );

  it.each(['', 'x', '[]', 'null', '"text"'])('names what a public key looks like for %j', (text) => {
    expect(readPublicKey(text)).toEqual({ problem: expect.stringContaining('BEGIN PUBLIC KEY') });
  });
});
