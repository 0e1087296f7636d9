import simple7702 from '@account-abstraction/contracts-v08/artifacts/Simple7702Account.json';
import { getCreate2Address, keccak256, ZeroHash } from 'ethers';
import { randomAddress } from '@paymaster/domain/testing';
import { KNOWN_DELEGATES, knownDelegate } from './known-delegates';

/** The keyless factory that stands at this address on almost every chain. */
const CREATE2_FACTORY = '0x4e59b44847b379578588920cA78FbF26c0B4956C';

describe('KNOWN_DELEGATES', () => {
  it('should have Simple7702Account where its published code lands on every chain', () => {
    const address = getCreate2Address(CREATE2_FACTORY, ZeroHash, keccak256(simple7702.bytecode));
    expect(KNOWN_DELEGATES.map((delegate) => delegate.address)).toEqual([address.toLowerCase()]);
  });

  it('should be found by address in any case, and nothing else', () => {
    const [delegate] = KNOWN_DELEGATES;
    expect(knownDelegate('0xE6CAE83BDE06E4C305530E199D7217F42808555B')).toBe(delegate);
    expect(knownDelegate(randomAddress())).toBeUndefined();
  });
});
