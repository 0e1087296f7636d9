import { getBytes, keccak256, toUtf8Bytes } from 'ethers';

/** What is signed to see whether a signer works. It begins like no transaction and no EIP-191 or EIP-712 message. */
const PREIMAGE = toUtf8Bytes('paymaster signer probe: this signature is worth nothing');

export const SIGNER_PROBE = { preimage: PREIMAGE, digest: getBytes(keccak256(PREIMAGE)) } as const;
