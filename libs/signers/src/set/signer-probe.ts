import { getBytes, keccak256, toUtf8Bytes } from 'ethers';

/** The message that is signed to test a signer. No transaction and no EIP-191 or EIP-712 message begins like it. */
const PREIMAGE = toUtf8Bytes('paymaster signer probe: this signature is worth nothing');

export const SIGNER_PROBE = { preimage: PREIMAGE, digest: getBytes(keccak256(PREIMAGE)) } as const;
