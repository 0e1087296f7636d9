import { TokenAnswerError } from '@paymaster/chain';
import type { TokenListing } from '@paymaster/domain';
import { paymentFails } from './token-refusals';

/**
 * What a token answers to a view.
 *
 * @throws {SponsorshipRefusedError} TOKEN_PAYMENT_FAILS, when it answers nonsense: it would not be paid in either
 */
export async function askToken<T>(token: TokenListing, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof TokenAnswerError) throw paymentFails({ token }, error.message);
    throw error;
  }
}
