import { randomHex } from '@paymaster/domain/testing';
import { AbiCoder, getBytes } from 'ethers';
import { ecdsaRecover } from 'secp256k1';
import { ECDSA_STUB } from './account-family';
import { MISSPELT_SMART_ACCOUNT_NAMES, SMART_ACCOUNT_NAMES, smartAccountOf, stubSignatureOf } from './smart-account';

describe('names of accounts that clients send', () => {
  it('should be these, and no others', () => {
    expect(SMART_ACCOUNT_NAMES).toEqual(['BICONOMY', 'INFINITISM', 'SAFE']);
    expect(MISSPELT_SMART_ACCOUNT_NAMES).toEqual(['INFINITSM']);
    expect(smartAccountOf('BICONOMY')).toEqual({ name: 'BICONOMY', versions: ['1.0.0', '2.0.0'] });
    expect(smartAccountOf('INFINITSM')).toEqual({ name: 'INFINITISM', versions: ['1.0.0'] });
    expect(smartAccountOf('SAFE')).toEqual({ name: 'SAFE', versions: ['1.4.1'] });
    for (const name of ['safe', 'Nexus', 'constructor']) expect(smartAccountOf(name)).toBeUndefined();
  });
});

describe('stubSignatureOf', () => {
  it('recovers to somebody for any digest, so that account code says SIG_FAILED and does not revert', () => {
    const bytes = getBytes(stubSignatureOf({ name: 'INFINITISM', version: '1.0.0' })!);
    expect(bytes).toHaveLength(65);
    expect(bytes[64]).toBe(28);
    expect(bytes[32]).toBeLessThan(0x7f);
    for (let round = 0; round < 100; round++)
      expect(() => ecdsaRecover(bytes.subarray(0, 64), 1, getBytes(randomHex(32)))).not.toThrow();
  });

  it('names the ECDSA module behind the signature for Biconomy 2', () => {
    const module = '0x0000001c5b32F37F5beA87BDD5374eB2aC54eA8e';
    expect(stubSignatureOf({ name: 'BICONOMY', version: '2.0.0' })).toBe(
      AbiCoder.defaultAbiCoder().encode(['bytes', 'address'], [ECDSA_STUB, module]),
    );
  });

  it('is the bare signature for Biconomy 1', () => {
    expect(stubSignatureOf({ name: 'BICONOMY', version: '1.0.0' })).toBe(ECDSA_STUB);
  });

  it('puts twelve zero bytes of time bounds in front for Safe', () => {
    expect(stubSignatureOf({ name: 'SAFE', version: '1.4.1' })).toBe(`0x${'00'.repeat(12)}${ECDSA_STUB.slice(2)}`);
  });

  it('is unknown for a name or a version that is', () => {
    expect(stubSignatureOf({ name: 'Nexus', version: '1.0.0' })).toBeUndefined();
    expect(stubSignatureOf({ name: 'SAFE', version: 'constructor' })).toBeUndefined();
  });
});
