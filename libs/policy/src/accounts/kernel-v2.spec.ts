import { Interface } from 'ethers';
import type { Address, Hex } from '@paymaster/domain';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import * as encode from '../testing/encode-calls';
import { decodeCalls } from './decode-calls';
import { accountImplementationOf, compileKnownImplementations } from './known-implementations';
import { compileKnownFactories, explainUnknownSetup } from './known-factories';

const FACTORY: Address = '0x5de4839a76cf55d0c90e2061ef4386d962e15ae3';
const KERNEL_2_1: Address = '0xf048ad83cb2dfd6037a43902a2a5be04e53cd2eb';
const KERNEL_2_2: Address = '0x0da6a956b9488ed4dd761e59f52fdc6c8068e6b5';
const VALIDATOR: Address = '0xd9ab5096a832b9ce79914329daee236f8eea0390';
const kernel = new Interface([
  'function createAccount(address implementation, bytes data, uint256 index)',
  'function getAccountAddress(bytes data, uint256 index)',
  'function initialize(address defaultValidator, bytes data)',
  'function upgradeTo(address newImplementation)',
]);
const initialize = (validator: string, data: string) => kernel.encodeFunctionData('initialize', [validator, data]);
const init = initialize(VALIDATOR, randomAddress());
const create = (implementation: string, data: string) =>
  kernel.encodeFunctionData('createAccount', [implementation, data, 7]);
const explain = (factoryData: string) => explainUnknownSetup(compileKnownFactories().get(FACTORY)!, factoryData as Hex);

describe('Kernel v2', () => {
  it.each([KERNEL_2_2, '0xd3f582f6b4814e989ee8e96bc3175320b5a540ab', '0xd3082872f8b06073a021b4602e022d5a070d7cfc'])(
    'should be deployed with implementation %s and its ECDSA validator',
    (implementation) => {
      expect(explain(create(implementation, init))).toBeUndefined();
    },
  );

  it('should not be deployed with other code, validators or first calls', () => {
    const other = randomAddress();
    expect(explain(create(other, init))).toContain(other);
    // Kernel 2.1 hands `executeBatch` to code that a signature may choose.
    expect(explain(create(KERNEL_2_1, init))).toContain(KERNEL_2_1);
    expect(explain(create(KERNEL_2_2, initialize(other, randomAddress())))).toContain(other);
    expect(explain(create(KERNEL_2_2, kernel.encodeFunctionData('upgradeTo', [other])))).toContain('initialization');
    expect(explain(create(KERNEL_2_2, '0x'))).toContain('initialization');
    expect(explain(create(KERNEL_2_2, initialize(VALIDATOR, '0x')))).toContain('owner');
    expect(explain(create(KERNEL_2_2, initialize(VALIDATOR, randomHex(21))))).toContain('owner');
  });

  it('should name the fields that it reads', () => {
    expect(encode.fieldsOf(create(KERNEL_2_2, init), explain)).toBe(
      'implementation, offset of initialization, index, initialization, offset of owner',
    );
    expect(encode.fieldsOf(init, (data) => explain(create(KERNEL_2_2, data)))).toBe(
      'validator, offset of owner, owner',
    );
  });

  it('should not be deployed by what is not exactly this call', () => {
    const good = create(KERNEL_2_2, init);
    const other = kernel.encodeFunctionData('getAccountAddress', [init, 7]);
    for (const bad of [
      '0x',
      good.slice(0, 10),
      good.slice(0, -2),
      `${good}00`,
      other,
      create(KERNEL_2_2, `${init}00`),
    ]) {
      expect(explain(bad)).toEqual(expect.any(String));
    }
  });

  it.each([
    [1, 'DELEGATE_CALL'],
    [2, 'UNSUPPORTED_MODE'],
    [2n ** 32n, 'NOT_CANONICAL'],
    [2n ** 255n, 'NOT_CANONICAL'],
  ])('should call with operation 0 only, not %s', (operation, failure) => {
    const args = [randomAddress(), 1n, randomHex(36)];
    const good = encode.encodeShape('executeWithOperation', [...args, 0]);
    expect(decodeCalls({ callData: good, entryPointVersion: '0.6' })).toMatchObject({ calls: [{ to: args[0] }] });
    const word = operation.toString(16).padStart(64, '0');
    const callData: Hex = `0x${good.slice(2, 202)}${word}${good.slice(266)}`;
    expect(decodeCalls({ callData, entryPointVersion: '0.6' })).toMatchObject({ understood: false, failure });
  });

  it('should be known behind the proxy of its factory only', () => {
    const known = compileKnownImplementations();
    expect(known.get(KERNEL_2_2)?.proxies).toHaveLength(1);
    expect(known.get(KERNEL_2_1)).toBeUndefined();
    const ask = (code: Hex) => accountImplementationOf({ code, implementation: KERNEL_2_2, known });
    expect(ask(randomHex(127))).toEqual({ known: false });
  });
});
