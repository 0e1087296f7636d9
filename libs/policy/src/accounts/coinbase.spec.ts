import { Interface, zeroPadValue } from 'ethers';
import type { Address, Hex } from '@paymaster/domain';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import * as encode from '../testing/encode-calls';
import { SOLADY_ERC1967 } from './account-family';
import { compileKnownImplementations } from './known-implementations';
import { compileKnownFactories, explainUnknownSetup } from './known-factories';

const FACTORIES: readonly Address[] = [
  '0x0ba5ed0c6aa8c49038f819e587e2633c4a9f428a',
  '0xba5ed110efdba3d005bfc882d75358acbbb85842',
];
const IMPLEMENTATIONS: readonly Address[] = [
  '0x000100abaad02f1cfc8bbe32bd5a564817339e72',
  '0x00000110dcdedc9581cb5ecb8467282f2926534d',
];
const factory = new Interface([
  'function createAccount(bytes[] owners, uint256 nonce)',
  'function getAddress(bytes[] owners, uint256 nonce)',
]);
const owner = () => zeroPadValue(randomAddress(), 32);
const create = (...owners: string[]) => factory.encodeFunctionData('createAccount', [owners, 2n ** 256n - 1n]);

describe.each(FACTORIES)('Coinbase Smart Wallet by factory %s', (address) => {
  const explain = (factoryData: string) =>
    explainUnknownSetup(compileKnownFactories().get(address)!, factoryData as Hex);

  it('should be deployed for keys and passkeys', () => {
    expect(explain(create(owner()))).toBeUndefined();
    expect(explain(create(randomHex(64), owner(), owner()))).toBeUndefined();
  });

  it('should name the fields that it reads', () => {
    expect(encode.fieldsOf(create(owner(), randomHex(64)), explain)).toBe('offset of owners, nonce, owners, owner');
  });

  it('should not be deployed by anything else', () => {
    const good = create(owner());
    const other = factory.encodeFunctionData('getAddress', [[owner()], 0]);
    const noOwner = [create(), create('0x'), create(randomAddress()), create(`0x01${randomHex(31).slice(2)}`)];
    for (const bad of ['0x', good.slice(0, 10), good.slice(0, -2), `${good}00`, other, randomHex(100), ...noOwner]) {
      expect(explain(bad)).toEqual(expect.any(String));
    }
  });
});

it("should know the wallet's implementations behind Solady's proxy only", () => {
  for (const implementation of IMPLEMENTATIONS) {
    expect(compileKnownImplementations().get(implementation)?.proxies).toEqual([SOLADY_ERC1967]);
  }
});
