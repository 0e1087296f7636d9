import { SignerError } from '../signer/signer-error';

/** The meaning of an HTTP status other than 200. The body is not repeated: it may name paths, tokens or keys. */
export function refusalOf(status: number): SignerError {
  if (status === 429) return new SignerError('throttled', 'too many requests');
  return new SignerError('refused', `HTTP status ${status}`);
}
