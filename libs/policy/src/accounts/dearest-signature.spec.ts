import type { Hex } from '@paymaster/domain';
import { AbiCoder } from 'ethers';
import { ECDSA_STUB } from './account-family';
import { dearestSignature } from './dearest-signature';

const coder = AbiCoder.defaultAbiCoder();
const EXECUTE: Hex = '0xb61d27f6';
const SAFE_EXECUTE: Hex = '0x7bb37428';
const stub = ECDSA_STUB.slice(2);
const byEthSign = `${stub.slice(0, -2)}20`;
const times = '00'.repeat(12);

describe('dearestSignature', () => {
  const of = (signature: Hex, callData = EXECUTE) => dearestSignature({ signature, callData });

  it.each<[string, Hex, Hex]>([
    ['one key', `0x${'ff'.repeat(65)}`, ECDSA_STUB],
    ['one key, in upper case', `0x${'FF'.repeat(65)}`, ECDSA_STUB],
    ['a LightAccount of one key', `0x00${'ff'.repeat(65)}`, `0x00${stub}`],
    ['a Kernel 2', `0x00000000${'ff'.repeat(65)}`, `0x00000000${stub}`],
  ])('recovers to somebody for a dummy of %s, of which the account may recover nobody', (_what, dummy, dearest) => {
    expect(of(dummy)).toEqual({ signature: dearest, unseenGas: 0n });
  });

  it('is of a key for a Coinbase account, whichever owner it is, and has room for a passkey', () => {
    const wrapped = (index: number, data: Hex): Hex => coder.encode(['tuple(uint256,bytes)'], [[index, data]]) as Hex;
    expect(of(wrapped(3, `0x${'ff'.repeat(65)}`))).toEqual({ signature: wrapped(3, ECDSA_STUB), unseenGas: 0n });
    const ofPasskey = wrapped(1, `0x${'ab'.repeat(400)}`);
    expect(of(ofPasskey)).toEqual({ signature: ofPasskey, unseenGas: 400_000n });
  });

  it('is by eth_sign for each owner of a Safe, with room for the owners that a check of nobody does not reach', () => {
    const dummy = (owners: number): Hex => `0x${times}${'ff'.repeat(65 * owners)}`;
    expect(of(dummy(1), SAFE_EXECUTE)).toEqual({ signature: `0x${times}${byEthSign}`, unseenGas: 0n });
    expect(of(dummy(3), SAFE_EXECUTE)).toEqual({ signature: `0x${times}${byEthSign.repeat(3)}`, unseenGas: 12_600n });
  });

  it("leaves a Safe's contract owner as it is", () => {
    const contract: Hex = `0x${times}${'00'.repeat(12)}${'aa'.repeat(20)}${'00'.repeat(31)}4100${'bb'.repeat(64)}`;
    expect(of(contract, SAFE_EXECUTE)).toEqual({ signature: contract, unseenGas: 0n });
  });

  it('is unknown for a signature that no family has', () => {
    expect(of(`0x${'ab'.repeat(300)}`)).toBeUndefined();
    expect(of('0x01')).toBeUndefined();
  });
});
