import type { Hex } from '@paymaster/domain';
import { randomAddress, randomHex, userOperationV06Builder, userOperationV07Builder } from '@paymaster/domain/testing';
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
  const deployed = userOperationV06Builder().build();
  const newAccount = (factory: Hex) => userOperationV06Builder().with('initCode', `${factory}5fbfb9cf`).build();

  it('recovers to somebody for any digest, so that account code says SIG_FAILED and does not revert', () => {
    const bytes = getBytes(stubSignatureOf(deployed, { name: 'INFINITISM', version: '1.0.0' })!);
    expect(bytes).toHaveLength(65);
    expect(bytes[64]).toBe(28);
    expect(bytes[32]).toBeLessThan(0x7f);
    for (let round = 0; round < 100; round++)
      expect(() => ecdsaRecover(bytes.subarray(0, 64), 1, getBytes(randomHex(32)))).not.toThrow();
  });

  it('names the ECDSA module behind the signature for Biconomy 2', () => {
    const module = '0x0000001c5b32F37F5beA87BDD5374eB2aC54eA8e';
    expect(stubSignatureOf(deployed, { name: 'BICONOMY', version: '2.0.0' })).toBe(
      AbiCoder.defaultAbiCoder().encode(['bytes', 'address'], [ECDSA_STUB, module]),
    );
  });

  it('is the bare signature for Biconomy 1', () => {
    expect(stubSignatureOf(deployed, { name: 'BICONOMY', version: '1.0.0' })).toBe(ECDSA_STUB);
  });

  it('puts twelve zero bytes of time bounds in front for Safe', () => {
    expect(stubSignatureOf(deployed, { name: 'SAFE', version: '1.4.1' })).toBe(
      `0x${'00'.repeat(12)}${ECDSA_STUB.slice(2)}`,
    );
  });

  it('is told by the factory where the client names no account, or the wrong one', () => {
    const safe = newAccount('0x4e1DCf7AD4e460CfD30791CCC4F9c8a4f820ec67');
    const byName = stubSignatureOf(deployed, { name: 'SAFE', version: '1.4.1' });
    expect(stubSignatureOf(safe, undefined)).toBe(byName);
    expect(stubSignatureOf(safe, { name: 'BICONOMY', version: '2.0.0' })).toBe(byName);
    const packed = userOperationV07Builder('0.7').with('factory', '0x0000000000400cdfef5e2714e63d8040b700bc24').build();
    expect(stubSignatureOf(packed, undefined)).toBe(`0x00${ECDSA_STUB.slice(2)}`);
    expect(stubSignatureOf(newAccount('0x5de4839a76cf55d0c90e2061ef4386d962e15ae3'), undefined)).toBe(
      `0x00000000${ECDSA_STUB.slice(2)}`,
    );
  });

  it.each([
    ['0x000000f9ee1842bb72f6bbdd75e6d3d4e3e9594c', '1.0.0'],
    ['0x000000a56aaca3e9a4c479ea6b6cd0dbcb6634f5', '2.0.0'],
  ] as const)('is that of the version which the Biconomy factory %s makes', (factory, version) => {
    expect(stubSignatureOf(newAccount(factory), undefined)).toBe(
      stubSignatureOf(deployed, { name: 'BICONOMY', version }),
    );
  });

  it('is unknown for a factory that is, and for deployed accounts without a name', () => {
    expect(stubSignatureOf(newAccount(randomAddress()), undefined)).toBeUndefined();
    expect(stubSignatureOf(deployed, undefined)).toBeUndefined();
  });

  it('is unknown for a name or a version that is', () => {
    expect(stubSignatureOf(deployed, { name: 'Nexus', version: '1.0.0' })).toBeUndefined();
    expect(stubSignatureOf(deployed, { name: 'SAFE', version: 'constructor' })).toBeUndefined();
  });
});
