import { Interface } from 'ethers';
import type { Hex } from '@paymaster/domain';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import * as encode from '../testing/encode-calls';
import { CALLING_SELECTORS } from './known-functions';
import { compileKnownFactories, explainUnknownSetup } from './known-factories';

const factory = compileKnownFactories().get('0x5d82735936c6cd5de57cc3c1a799f6b2e6f933df')!;
const explain = (data: string) => explainUnknownSetup(factory, data as Hex);
const contracts = new Interface([
  'function createAccount(address owner, bytes32 salt)',
  'function delegateExecute(address delegate, bytes data)',
]);

describe("Solady's account of viem's default factory", () => {
  it('should be deployed by createAccount only', () => {
    const good = contracts.encodeFunctionData('createAccount', [randomAddress(), randomHex(32)]);
    expect(explain(good)).toBeUndefined();
    expect(encode.fieldsOf(good, explain)).toBe('owner, salt');
    for (const bad of ['0x', good.slice(0, -2), `${good}00`, good.replace('f14ddffc', 'f14ddffd')]) {
      expect(explain(bad)).toEqual(expect.any(String));
    }
  });

  it('should never run foreign code by a call to itself', () => {
    expect(CALLING_SELECTORS).toContain(contracts.getFunction('delegateExecute')?.selector);
    expect(factory.shapes).toEqual(new Set(['none', 'execute', 'executeBatchOfTuples']));
  });
});
