import { Interface } from 'ethers';
import type { Hex } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import * as encode from '../testing/encode-calls';
import { compileKnownFactories, explainUnknownSetup } from './known-factories';
import { namesKnownValidator } from './known-validators';

const factory = compileKnownFactories().get('0x00000000000017c61b5bee81050ec8efc9c6fecd')!;
const explain = (data: string) => explainUnknownSetup(factory, data as Hex);
const contracts = new Interface([
  'function createSemiModularAccount(address owner, uint256 salt)',
  'function createAccount(address owner, uint256 salt, uint32 entityId)',
  'function createWebAuthnAccount(uint256 x, uint256 y, uint256 salt, uint32 entityId)',
]);

describe('ModularAccount 2', () => {
  it('should be deployed by createSemiModularAccount only', () => {
    const good = contracts.encodeFunctionData('createSemiModularAccount', [randomAddress(), 5]);
    expect(explain(good)).toBeUndefined();
    expect(encode.fieldsOf(good, explain)).toBe('owner, salt');
    const withModule = contracts.encodeFunctionData('createAccount', [randomAddress(), 5, 0]);
    const withPasskey = contracts.encodeFunctionData('createWebAuthnAccount', [1, 2, 5, 0]);
    for (const bad of ['0x', good.slice(0, -2), `${good}00`, withModule, withPasskey]) {
      expect(explain(bad)).toEqual(expect.any(String));
    }
  });

  /** `buildFullNonceKey` of its SDK. */
  const nonceOf = ({ key = 0n, entity = 0n, flags = 1n } = {}) => ((key << 40n) | (entity << 8n) | flags) << 64n;

  it.each([
    ['its own signer', {}, true],
    ['its own signer, with a parallel nonce', { key: 2n ** 152n - 1n }, true],
    ['a deferred action, which installs a module from the signature', { flags: 3n }, false],
    ['a validation of single functions', { flags: 0n }, false],
    ['a call in its own name', { flags: 5n }, false],
    ['a module', { entity: 1n }, false],
    ['a module of a high number', { entity: 2n ** 31n }, false],
  ])('should be known to validate by %s: %j, %s', (_what, nonce, known) => {
    expect(namesKnownValidator(nonceOf(nonce), factory.nonceLayout)).toBe(known);
  });

  it('should not make a validator known that another account takes from its nonce', () => {
    // In the layouts of other accounts these bytes are a validator's address.
    const chosen = BigInt(`0x${'c0ffee'.repeat(6)}0000000001`);
    expect(namesKnownValidator(chosen << 64n)).toBe(false);
  });
});
