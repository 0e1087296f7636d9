import { getCreateAddress, Interface } from 'ethers';
import type { Address, Hex } from '@paymaster/domain';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import * as encode from '../testing/encode-calls';
import { accountImplementationOf, compileKnownImplementations } from './is-known-account';
import { compileKnownFactories, explainUnknownSetup } from './known-factories';

const FACTORY: Address = '0x0000000000400cdfef5e2714e63d8040b700bc24';
const IMPLEMENTATION: Address = '0x8e8e658e22b12ada97b402ff0b044d6a325013c7';
/** The code of an account, put together by the published factory. */
const PROXY_CODE: Hex =
  '0x363d3d373d3d363d7f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc545af43d6000803e6038573d6000fd5b3d6000f3';

const factory = new Interface([
  'function createAccount(address owner, uint256 salt)',
  'function getAddress(address owner, uint256 salt)',
]);
const explain = (factoryData: string) => explainUnknownSetup(compileKnownFactories().get(FACTORY)!, factoryData as Hex);

describe('LightAccount v2', () => {
  const owner = randomAddress();
  const good = factory.encodeFunctionData('createAccount', [owner, 2n ** 256n - 1n]);

  it('should be deployed by createAccount, for any owner and salt', () => {
    expect(explain(good)).toBeUndefined();
    expect(explain(`0x${good.slice(2).toUpperCase()}`)).toBeUndefined();
  });

  it('should name the fields that it reads', () => {
    expect(encode.fieldsOf(good, explain)).toBe('owner, salt');
  });

  it('should not be deployed by anything else', () => {
    const dirty = good.replace(`${'0'.repeat(24)}${owner.slice(2)}`, `${'0'.repeat(23)}1${owner.slice(2)}`);
    const other = factory.encodeFunctionData('getAddress', [owner, 0]);
    for (const bad of ['0x', good.slice(0, 10), good.slice(0, -2), `${good}00`, dirty, other, randomHex(68)]) {
      expect(explain(bad)).toEqual(expect.any(String));
    }
  });

  it('should be known behind its proxy by the implementation that the factory creates first', () => {
    expect(getCreateAddress({ from: FACTORY, nonce: 1 }).toLowerCase()).toBe(IMPLEMENTATION);
    const known = compileKnownImplementations();
    const ask = (code: Hex, implementation: Address) => accountImplementationOf({ code, implementation, known });
    expect(ask(PROXY_CODE, IMPLEMENTATION)).toMatchObject({ known: true });
    expect(ask(`${PROXY_CODE}00`, IMPLEMENTATION)).toEqual({ known: false });
    expect(ask(PROXY_CODE, randomAddress())).toEqual({ known: false });
  });
});
