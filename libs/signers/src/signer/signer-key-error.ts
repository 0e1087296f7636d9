/** The signer's key cannot be used. The message says what to do and never holds a byte of the key. */
export class SignerKeyError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SignerKeyError';
  }
}
