/**
 * Why a remote signer did not sign: `busy` (no turn in time), `throttled` (its quota), `timeout`, `connection`,
 * `refused` (it said no), `malformed` (no answer of its API), `lying` (a signature of another key or digest).
 */
export type SignerFailure = 'busy' | 'throttled' | 'timeout' | 'connection' | 'refused' | 'malformed' | 'lying';

/** A remote signer did not sign. The message names no URL, token or key, and repeats nothing of the answer. */
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

/** The signer's key cannot be used. The message says what to do and never holds a byte of the key. */
export class SignerKeyError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SignerKeyError';
  }
}
