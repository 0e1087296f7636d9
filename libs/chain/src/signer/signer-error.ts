/**
 * Why a signer elsewhere did not sign: `busy` (no turn in time), `throttled` (its quota), `timeout`, `connection`,
 * `refused` (it said no), `malformed` (no answer of its API), `lying` (a signature of another key or digest).
 */
export type SignerFailure = 'busy' | 'throttled' | 'timeout' | 'connection' | 'refused' | 'malformed' | 'lying';

/** A signer elsewhere did not sign. The message names no URL, token or key, and repeats nothing that was answered. */
export class SignerError extends Error {
  constructor(
    readonly kind: SignerFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'SignerError';
  }
}
