import type { SignerFailure } from './signer-error';

/** Told what signers do, for metrics. Called on the hot path: it must be quick and must not throw. */
export interface SignerObserver {
  /** @param name of the signer, as the operator gave it */
  signed(name: string, seconds: number): void;
  failed(name: string, kind: SignerFailure): void;
}
