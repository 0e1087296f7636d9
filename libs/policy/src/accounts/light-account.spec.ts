import { getCreate2Address, getCreateAddress, Interface } from 'ethers';
import type { Address, Hex } from '@paymaster/domain';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import * as encode from '../testing/encode-calls';
import { accountImplementationOf, compileKnownImplementations } from './known-implementations';
import { compileKnownFactories, explainUnknownSetup } from './known-factories';

const FACTORY: Address = '0x0000000000400cdfef5e2714e63d8040b700bc24';
const IMPLEMENTATION: Address = '0x8e8e658e22b12ada97b402ff0b044d6a325013c7';
/** The deterministic deployment proxy. */
const DEPLOYMENT_PROXY = '0x4e59b44847b379578588920ca78fbf26c0b4956c';
/** The code of an account, put together by the published factory. */
const PROXY_CODE: Hex =
  '0x363d3d373d3d363d7f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc545af43d6000803e6038573d6000fd5b3d6000f3';

const factory = new Interface([
  'function createAccount(address owner, uint256 salt)',
  'function getAddress(address owner, uint256 salt)',
]);
const explain = (factoryData: string) => explainUnknownSetup(compileKnownFactories().get(FACTORY)!, factoryData as Hex);

describe('LightAccount v1', () => {
  it('should be deployed by createAccount only', () => {
    const factoryV1 = compileKnownFactories().get('0x00004ec70002a32400f8ae005a26081065620d20')!;
    const good = factory.encodeFunctionData('createAccount', [randomAddress(), 7]) as Hex;
    expect(explainUnknownSetup(factoryV1, good)).toBeUndefined();
    expect(encode.fieldsOf(good, (data) => explainUnknownSetup(factoryV1, data))).toBe('owner, salt');
    expect(factoryV1.shapes).toEqual(new Set(['none', 'execute', 'executeBatch', 'executeBatchWithoutValues']));
  });

  it('should be at an address that the salt and the creation code of its deploy script give', () => {
    const [salt, creationCodeHash] = [
      '0x4e59b44847b379578588920ca78fbf26c0b4956c5528f3e2f146000008fabf77',
      '0x23fb754854a6aa03057b1bae5d971963d92e534dc714fa59fff6c08a3617ba3e',
    ];
    const address = getCreate2Address(DEPLOYMENT_PROXY, salt, creationCodeHash);
    expect(address.toLowerCase()).toBe('0x00004ec70002a32400f8ae005a26081065620d20');
    const implementation = '0xae8c656ad28f2b59a196ab61815c16a0ae1c3cba';
    expect(getCreateAddress({ from: address, nonce: 1 }).toLowerCase()).toBe(implementation);
    expect(compileKnownImplementations().has(implementation)).toBe(true);
  });
});

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
