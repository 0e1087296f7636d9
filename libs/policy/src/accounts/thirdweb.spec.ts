import { AbiCoder, concat, getCreateAddress, Interface, keccak256 } from 'ethers';
import type { Address, Hex } from '@paymaster/domain';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import * as encode from '../testing/encode-calls';
import { compileKnownImplementations } from './known-implementations';
import { compileKnownFactories, explainUnknownSetup } from './known-factories';

const contracts = new Interface([
  'function createAccount(address admin, bytes data)',
  'function multicall(bytes[] data)',
  'function grantRole(bytes32 role, address account)',
]);

describe.each<[string, Address, Address]>([
  ['v0.6', '0x85e23b94e7f5e9cc1ff78bce78cfb15b81f0df00', '0xf22175c80c6e074c171811c59c6c0087e2a6a346'],
  ['v0.7', '0x4be0ddfebca9a5a4a617dee4dece99e7c862dceb', '0x94ec38a5d2eda5a543ab4c08d998338d4082beb2'],
])('default factory of thirdweb for EntryPoint %s', (_version, address, implementation) => {
  const factory = compileKnownFactories().get(address)!;
  const explain = (data: string) => explainUnknownSetup(factory, data as Hex);
  const create = (data: string) => contracts.encodeFunctionData('createAccount', [randomAddress(), data]);

  it('should deploy an account for any admin and salt', () => {
    expect(explain(create('0x'))).toBeUndefined();
    expect(explain(create(randomHex(70)))).toBeUndefined();
    expect(encode.fieldsOf(create('0x1234'), explain)).toBe('admin, offset of data, data');
  });

  it('should not be known to do anything else', () => {
    const good = create('0x');
    const others = [
      contracts.encodeFunctionData('multicall', [[good]]),
      contracts.encodeFunctionData('grantRole', [randomHex(32), randomAddress()]),
      concat([good.slice(0, 10), AbiCoder.defaultAbiCoder().encode(['address'], [randomAddress()])]),
    ];
    for (const bad of ['0x', good.slice(0, 10), good.slice(0, -2), `${good}00`, ...others]) {
      expect(explain(bad)).toEqual(expect.any(String));
    }
  });

  it('should make clones of its first creation, which have two functions', () => {
    expect(getCreateAddress({ from: address, nonce: 1 }).toLowerCase()).toBe(implementation);
    const clone = `0x363d3d373d3d3d363d73${implementation.slice(2)}5af43d82803e903d91602b57fd5bf3`;
    const [proxy] = compileKnownImplementations().get(implementation)?.proxies ?? [];
    expect(proxy?.codeHash).toBe(keccak256(clone));
    expect(factory.shapes).toEqual(new Set(['none', 'execute', 'executeBatch']));
  });
});
