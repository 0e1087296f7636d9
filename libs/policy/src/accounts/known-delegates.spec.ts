import simple7702 from '@account-abstraction/contracts-v08/artifacts/Simple7702Account.json';
import { getCreate2Address, keccak256, ZeroHash } from 'ethers';
import type { Address } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { KNOWN_DELEGATES, knownDelegate } from './known-delegates';

/** The keyless factory that stands at this address on almost every chain. */
const CREATE2_FACTORY = '0x4e59b44847b379578588920cA78FbF26c0B4956C';

describe('KNOWN_DELEGATES', () => {
  it('should have Simple7702Account where its published code lands on every chain', () => {
    const address = getCreate2Address(CREATE2_FACTORY, ZeroHash, keccak256(simple7702.bytecode));
    expect(knownDelegate(address as Address)?.name).toBe('Simple7702Account for EntryPoint v0.8');
  });

  it('should be found by address in any case, and nothing else', () => {
    for (const delegate of KNOWN_DELEGATES) {
      expect(knownDelegate(`0x${delegate.address.slice(2).toUpperCase()}`)).toBe(delegate);
    }
    expect(knownDelegate(randomAddress())).toBeUndefined();
  });
});
