import { TokenAnswerError } from '@paymaster/chain';
import type { TokenListing } from '@paymaster/domain';
import { paymentFails } from './token-refusals';

/**
 * Reads a view of a token.
 *
 * @throws {SponsorshipRefusedError} TOKEN_PAYMENT_FAILS, when the answer is nonsense: a payment in the token would fail
 *   too
 */
export async function askToken<T>(token: TokenListing, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof TokenAnswerError) throw paymentFails({ token }, error.message);
    throw error;
  }
}
