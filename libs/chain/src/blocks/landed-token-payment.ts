import type { Address, PaidInToken } from '@paymaster/domain';
import { parseRecord, UnexpectedAnswerError } from '../json-rpc/parse';
import type { ChainProvider } from '../providers/chain-provider';
import { parseLog, type Log } from '../providers/log';
import { logWords, toAddress } from './decode-log';
import { PAID_IN_TOKEN } from './event-topics';

export interface LandedOperation {
  readonly transactionHash: string;
  /** Lower case. */
  readonly userOpHash: string;
  /** Our contracts, lower case: only their logs count. */
  readonly paymasters: readonly Address[];
}

/**
 * Reads from the receipt of its transaction what an operation paid in a token. It is for display: one provider is
 * believed.
 *
 * @returns null where the node has no receipt, or the operation paid nothing in a token
 * @throws {DependencyUnavailableError} `chain`
 */
export function landedTokenPayment(
  provider: Pick<ChainProvider, 'ask'>,
  { transactionHash, userOpHash, paymasters }: LandedOperation,
): Promise<PaidInToken | null> {
  return provider.ask('eth_getTransactionReceipt', [transactionHash], (value) => {
    if (value === null) return null;
    const { logs } = parseRecord(value, 'eth_getTransactionReceipt');
    if (!Array.isArray(logs)) throw new UnexpectedAnswerError('logs of the receipt');
    const isOurs = (log: { address?: unknown } | null): boolean =>
      paymasters.includes(String(log?.address).toLowerCase() as Address);
    // Other contracts' logs are not judged.
    const paid = logs
      .filter(isOurs)
      .map(parseLog)
      .find(({ topics: [event, hash] }) => event === PAID_IN_TOKEN && hash === userOpHash);
    return paid ? paymentOf(paid) : null;
  });
}

/** @param log `UserOperationPaidInToken` @throws {UnexpectedAnswerError} when it does not have the form of its event */
export function paymentOf(log: Log): PaidInToken {
  const { topics, data } = logWords(log, { indexed: 3, data: 3 });
  const [, amount] = data as [bigint, bigint, bigint];
  return { token: toAddress(topics[1]), amount };
}
