import { InvalidParamsError } from '@paymaster/domain';
import { randomHex, userOperationV07Builder } from '@paymaster/domain/testing';
import { AbiCoder, getAddress, getBytes } from 'ethers';
import { ecdsaRecover } from 'secp256k1';
import {
  accountStubSignature,
  BICONOMY_ECDSA_MODULE,
  ECDSA_STUB,
  withEstimableSignature,
} from './account-stub-signature';

describe('accountStubSignature', () => {
  it('recovers to somebody for any digest, so that account code says SIG_FAILED and does not revert', () => {
    const bytes = getBytes(accountStubSignature({ name: 'INFINITISM', version: '1.0.0' }));
    expect(bytes).toHaveLength(65);
    expect(bytes[64]).toBe(28);
    expect(bytes[32]).toBeLessThan(0x7f);
    for (let round = 0; round < 100; round++)
      expect(() => ecdsaRecover(bytes.subarray(0, 64), 1, getBytes(randomHex(32)))).not.toThrow();
  });

  it('names the ECDSA module behind the signature for Biconomy 2', () => {
    expect(accountStubSignature({ name: 'BICONOMY', version: '2.0.0' })).toBe(
      AbiCoder.defaultAbiCoder().encode(['bytes', 'address'], [ECDSA_STUB, getAddress(BICONOMY_ECDSA_MODULE)]),
    );
  });

  it('is the bare signature for Biconomy 1', () => {
    expect(accountStubSignature({ name: 'BICONOMY', version: '1.0.0' })).toBe(ECDSA_STUB);
  });

  it('puts twelve zero bytes of time bounds in front for Safe', () => {
    expect(accountStubSignature({ name: 'SAFE', version: '1.4.1' })).toBe(`0x${'00'.repeat(12)}${ECDSA_STUB.slice(2)}`);
  });
});

describe('withEstimableSignature', () => {
  it('leaves the signature of the client alone', () => {
    const operation = userOperationV07Builder().build();
    expect(withEstimableSignature(operation, { name: 'SAFE', version: '1.4.1' })).toBe(operation);
  });

  it('takes the stub of the account kind in place of an empty one', () => {
    const operation = userOperationV07Builder().with('signature', '0x').build();
    const account = { name: 'SAFE', version: '1.4.1' } as const;
    expect(withEstimableSignature(operation, account).signature).toBe(accountStubSignature(account));
  });

  it('names the signature when it is empty and the account is unknown', () => {
    const operation = userOperationV07Builder().with('signature', '0x').build();
    expect(() => withEstimableSignature(operation)).toThrow(InvalidParamsError);
  });
});
