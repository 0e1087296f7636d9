import type { Address, Hex } from '@paymaster/domain';
import { parseRecord, parseWords, UnexpectedAnswerError } from '../json-rpc/parse';
import type { ChainProvider } from '../providers/chain-provider';
import { parseLog } from '../providers/log';

/** keccak-256 of `UserOperationPaidInToken(bytes32,address,address,address,uint256,uint256)`. */
const PAID_IN_TOKEN = '0x9f42b124c929f773cf4026e76727943aad59f15f54748704f77d8978952fecf6';
/** Fee receiver, charged, refunded. */
const WORDS = 3;

/** What the sender of an operation paid in a token, refunds taken off. */
export interface TokenPayment {
  readonly token: Address;
  /** Base units of the token. */
  readonly amount: bigint;
}

export interface PaidOperation {
  readonly transactionHash: string;
  /** Lower case. */
  readonly userOpHash: string;
  /** The contract of ours that charged it; lower case. */
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
  { transactionHash, userOpHash, paymasters }: PaidOperation,
): Promise<TokenPayment | null> {
  return provider.ask('eth_getTransactionReceipt', [transactionHash], (value) => {
    if (value === null) return null;
    const { logs } = parseRecord(value, 'eth_getTransactionReceipt');
    if (!Array.isArray(logs)) throw new UnexpectedAnswerError('logs of the receipt');
    const isOurs = (log: { address?: unknown } | null): boolean =>
      paymasters.includes(String(log?.address).toLowerCase() as Address);
    // Other contracts' logs are not judged.
    for (const { topics, data } of logs.filter(isOurs).map(parseLog)) {
      const [event, hash, token] = topics;
      if (event !== PAID_IN_TOKEN || hash !== userOpHash || !token) continue;
      const [, amount = 0n] = parseWords(data, WORDS, 'data of the payment in a token');
      return { token: `0x${token.slice(-40)}` as Hex, amount };
    }
    return null;
  });
}
