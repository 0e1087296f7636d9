import type { Address, Hex } from '@paymaster/domain';
import type { Log } from '../providers/log';
import { logWords, toAddress } from './decode-log';
import { PAYMASTER_EVENTS } from './event-topics';

/** Acts of a contract's owner that move no money yet; after them wallets have some days to leave. */
export type ContractNotice = {
  readonly contract: Address;
  readonly transactionHash: Hex;
} & (
  | { readonly kind: 'signerAdded'; readonly signer: Address }
  | {
      readonly kind: 'unsettledStated';
      readonly wallet: Address;
      readonly recordedWei: bigint;
      readonly returnedWei: bigint;
    }
);

/**
 * The notices among the logs of a block, in their order.
 *
 * @throws {UnexpectedAnswerError} when a log does not have the form of its event
 */
export function contractNotices(logs: readonly Log[]): readonly ContractNotice[] {
  return [...logs].sort((a, b) => Number(a.logIndex - b.logIndex)).flatMap((log) => noticeOf(log) ?? []);
}

function noticeOf(log: Log): ContractNotice | undefined {
  const { address: contract, transactionHash } = log;
  const [event] = log.topics;
  if (event === PAYMASTER_EVENTS.SignerAdded) {
    const { topics } = logWords(log, { indexed: 1, data: 0 });
    return { kind: 'signerAdded', contract, transactionHash, signer: toAddress(topics[0]) };
  }
  if (event === PAYMASTER_EVENTS.UnsettledPrechargeStated) {
    const { topics, data } = logWords(log, { indexed: 1, data: 3 });
    const [recordedWei, returnedWei] = data as [bigint, bigint, bigint];
    const wallet = toAddress(topics[0]);
    return { kind: 'unsettledStated', contract, transactionHash, wallet, recordedWei, returnedWei };
  }
  return undefined;
}
