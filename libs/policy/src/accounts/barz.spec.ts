import { Interface } from 'ethers';
import type { Address, Hex } from '@paymaster/domain';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import * as encode from '../testing/encode-calls';
import { compileKnownFactories, explainUnknownSetup } from './known-factories';

const FACTORY: Address = '0x729c310186a57833f622630a16d13f710b83272a';
const FACETS = ['0x81b9E3689390C7e74cF526594A105Dea21a8cdD5', '0x58Cb9Abe27fcd6f72354E98Cf5cc46BEAA2182DF'];

const factory = new Interface([
  'function createAccount(address verificationFacet, bytes owner, uint256 salt)',
  'function getAddress(address verificationFacet, bytes owner, uint256 salt)',
]);
const create = (facet: string, owner: string) => factory.encodeFunctionData('createAccount', [facet, owner, 3]);
const explain = (factoryData: string) => explainUnknownSetup(compileKnownFactories().get(FACTORY)!, factoryData as Hex);

describe('setup of a Barz', () => {
  it.each(FACETS)('should be known with the verification facet %s', (facet) => {
    expect(explain(create(facet, randomAddress()))).toBeUndefined();
  });

  it('should name another facet, which the account would run as its own code', () => {
    const other = randomAddress();
    expect(explain(create(other, randomAddress()))).toContain(other);
  });

  it('should name the fields that it reads', () => {
    expect(encode.fieldsOf(create(FACETS[0]!, randomAddress()), explain)).toBe(
      'verification facet, offset of owner, salt, owner',
    );
  });

  it('should refuse what is not exactly this call', () => {
    const good = create(FACETS[0]!, randomAddress());
    const owners = ['0x', randomHex(19), randomHex(65)].map((owner) => create(FACETS[0]!, owner));
    const other = factory.encodeFunctionData('getAddress', [FACETS[0], randomAddress(), 3]);
    for (const bad of ['0x', good.slice(0, 10), good.slice(0, -2), `${good}00`, other, randomHex(100), ...owners]) {
      expect(explain(bad)).toEqual(expect.any(String));
    }
  });
});
