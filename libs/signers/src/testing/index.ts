/** Stand-ins for other vendors' signers: they check requests strictly, and misbehave as a test says. */
export * from './kms-stand-in';
export * from './signer-stand-in';
export * from './standing-signers';
export * from './vault-stand-in';
export * from './web3-signer-stand-in';
