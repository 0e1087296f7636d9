import { TokenAnswerError } from '@paymaster/chain';
import type { Address, TokenListing } from '@paymaster/domain';
import type { TokenReader } from '@paymaster/gas';
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

/**
 * Reads what the owner has of a token and what of it the spender may pull, at the same time.
 *
 * @returns allowance and balance; base units
 * @throws what {@link askToken} throws
 */
export function askPullable(
  reader: Pick<TokenReader, 'balanceOf' | 'allowance'>,
  asked: { token: TokenListing; owner: Address; spender: Address; deadlineMs: number },
): Promise<[bigint, bigint]> {
  const { owner, spender, deadlineMs } = asked;
  const token = asked.token.address;
  return askToken(
    asked.token,
    Promise.all([
      reader.allowance({ token, owner, spender, deadlineMs }),
      reader.balanceOf({ token, account: owner, deadlineMs }),
    ]),
  );
}
