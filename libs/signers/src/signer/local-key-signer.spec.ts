import { inspect } from 'node:util';
import { randomHex } from '@paymaster/domain/testing';
import { computeAddress, getBytes, hexlify, SigningKey } from 'ethers';
import pino from 'pino';
import { LocalKeySigner } from './local-key-signer';
import { SignerKeyError } from './signer-error';

const KEY = `0x${'a1b2c3d4'.repeat(8)}`;
const signerOf = (key: string) => new LocalKeySigner(getBytes(key));

describe('LocalKeySigner', () => {
  it('signs 1,000 random digests with the bytes of ethers', () => {
    for (let round = 0; round < 1_000; round++) {
      const key = randomHex(32);
      const digest = randomHex(32);
      expect(hexlify(signerOf(key).sign(getBytes(digest)))).toBe(new SigningKey(key).sign(digest).serialized);
    }
  });

  it('has the address of its key in lower case', () => {
    expect(signerOf(KEY).address).toBe(computeAddress(KEY).toLowerCase());
  });

  it('keeps its own copy of the key, so that the caller may wipe its bytes', () => {
    const key = getBytes(KEY);
    const signer = new LocalKeySigner(key);
    key.fill(0);
    const digest = randomHex(32);
    expect(hexlify(signer.sign(getBytes(digest)))).toBe(new SigningKey(KEY).sign(digest).serialized);
  });

  it.each([
    ['zero', new Uint8Array(32)],
    ['the order of the curve', getBytes('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141')],
    ['31 bytes', new Uint8Array(31).fill(1)],
  ])('refuses %s as a key', (_title, key) => {
    expect(() => new LocalKeySigner(key)).toThrow(SignerKeyError);
  });

  it.each<[string, (signer: LocalKeySigner) => string]>([
    ['toString', (signer) => String(signer)],
    ['JSON', (signer) => JSON.stringify({ signer })],
    ['inspect', (signer) => inspect({ signer }, { depth: null, showHidden: true })],
    ['its own and inherited fields', (signer) => JSON.stringify(Object.entries(signer))],
    ['a logger', (signer) => logged(signer)],
  ])('does not show the key in %s', (_title, show) => {
    const text = show(signerOf(KEY));
    expect(text).toContain(computeAddress(KEY).toLowerCase());
    for (const secret of ['a1b2c3d4a1b2', '161, 178, 195', '161,178,195']) expect(text).not.toContain(secret);
  });
});

function logged(signer: LocalKeySigner): string {
  let text = '';
  pino({}, { write: (line: string) => (text += line) }).info({ signer }, 'started');
  return text;
}
