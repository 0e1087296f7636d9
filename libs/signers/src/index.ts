/** Signs digests with keys in this process or elsewhere, and knows which of them are up and which contracts trust them. */
export { openSigners, type OpenedSigners, type SignersSource } from './set/open-signers';
export type { SignerSet } from './set/signer-set';
export { SignerUpkeep } from './set/signer-upkeep';
export * from './signer/load-signer';
export * from './signer/local-key-signer';
export { SignerKeyError } from './signer/signer-error';
export * from './signer/signer-membership';
export type { SignerObserver, SignerRoster } from './signer/signer';
