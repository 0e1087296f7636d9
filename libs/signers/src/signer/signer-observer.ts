import type { SignerFailure } from './signer-error';

/** Called for what signers do, for metrics. It is called on the hot path, so it must be quick and must not throw. */
export interface SignerObserver {
  /** @param name of the signer, as the operator gave it */
  signed(name: string, seconds: number): void;
  failed(name: string, kind: SignerFailure): void;
}
