import type { ChainEvent, Hex, OperationEvent, PaidInToken, UnpaidInTokens } from '@paymaster/domain';
import { UnexpectedAnswerError } from '../json-rpc/parse';
import type { Log } from '../providers/log';
import { logWords, toAddress } from './decode-log';
import { ENTRY_POINT_EVENTS, PAID_IN_TOKEN, PAYMASTER_EVENTS } from './event-topics';
import { paymentOf } from './landed-token-payment';
import type { ServedContract, ServedContracts } from './served-contracts';

/** The logs of one user operation in one transaction. */
interface Said {
  precharged?: Log;
  sponsored?: Log;
  /** The charge in tokens failed, and `postOp` went on. */
  due?: Log;
  /** The sender paid in a token. */
  paid?: Log;
  /** `postOp` was undone, as the EntryPoint says. */
  undone?: Log;
}

/** The events of an operation do not fit together: some are missing, or they belong to different operations. */
export class IncompleteOperationError extends Error {
  constructor(
    readonly userOpHash: Hex,
    problem: string,
  ) {
    super(`operation ${userOpHash}: ${problem}`);
    this.name = 'IncompleteOperationError';
  }
}

/**
 * Makes events of the logs of one block, in order of log index. It guesses nothing: an operation of ours needs its
 * `UserOperationPrecharged`, its `UserOperationEvent`, and either its `UserOperationSponsored` or the EntryPoint's log
 * that `postOp` was undone.
 *
 * @param logs of one block, those of the served contracts, no duplicates
 * @throws {IncompleteOperationError} when a part of an operation is missing
 * @throws {UnexpectedAnswerError} when a log does not have the form of its event
 */
export function assembleEvents(logs: readonly Log[], contracts: ServedContracts): readonly ChainEvent[] {
  const inOrder = [...logs].sort((a, b) => Number(a.logIndex - b.logIndex));
  const said = new Map<string, Said>();
  for (const log of inOrder) hear(said, log);

  const events: ChainEvent[] = [];
  for (const log of inOrder) {
    const [topic] = log.topics;
    if (topic === ENTRY_POINT_EVENTS.UserOperationEvent) {
      const key = keyOf(log);
      events.push(landedOperation(log, { contracts, said: said.get(key) }));
      said.delete(key);
    } else {
      const event = walletEvent(log);
      if (event) events.push(event);
    }
  }
  for (const { precharged, sponsored, due } of said.values()) {
    const orphan = precharged ?? sponsored ?? due;
    if (orphan) throw new IncompleteOperationError(orphan.topics[1]!, 'its UserOperationEvent is missing');
  }
  return events;
}

/** Operations are kept apart by transaction too, so that events of another bundle cannot be mixed in. */
function keyOf({ transactionHash, topics: [, userOpHash] }: Log): string {
  if (!userOpHash) throw new UnexpectedAnswerError('log', 'does not have the form of its event');
  return `${transactionHash}:${userOpHash}`;
}

function hear(all: Map<string, Said>, log: Log): void {
  const part = PARTS[log.topics[0]!];
  if (!part) return;
  const key = keyOf(log);
  const said = all.get(key) ?? {};
  all.set(key, said);
  if (said[part] && part !== 'undone')
    throw new IncompleteOperationError(log.topics[1]!, 'one of its events came twice');
  said[part] = log;
}

const PARTS: Readonly<Record<Hex, keyof Said>> = {
  [PAYMASTER_EVENTS.UserOperationPrecharged]: 'precharged',
  [PAYMASTER_EVENTS.UserOperationSponsored]: 'sponsored',
  [PAYMASTER_EVENTS.UserOperationSponsoredFormerly]: 'sponsored',
  [PAYMASTER_EVENTS.TokenPaymentDue]: 'due',
  [PAID_IN_TOKEN]: 'paid',
  [ENTRY_POINT_EVENTS.PostOpRevertReason]: 'undone',
  [ENTRY_POINT_EVENTS.UserOperationPrefundTooLow]: 'undone',
};

function landedOperation(log: Log, { contracts, said = {} }: { contracts: ServedContracts; said?: Said }): ChainEvent {
  const { topics, data } = logWords(log, { indexed: 3, data: 4 });
  const [userOpHash, senderWord, paymasterWord] = topics as [Hex, Hex, Hex];
  const [nonce, success, actualGasCostWei, actualGasUsed] = data as [bigint, bigint, bigint, bigint];
  const { address: entryPoint, transactionHash } = log;
  const place = { logIndex: Number(log.logIndex), transactionHash };
  const sender = toAddress(senderWord);
  const served = contracts.payer({ entryPoint, paymaster: toAddress(paymasterWord) });
  if (!served) {
    if (said.precharged || said.sponsored || said.due)
      throw new IncompleteOperationError(userOpHash, 'another paymaster paid for it');
    return { kind: 'nonceUsed', ...place, contract: entryPoint, entryPoint, sender, nonce };
  }
  return {
    kind: 'operation',
    ...place,
    contract: served.paymaster,
    userOpHash,
    entryPoint,
    entryPointVersion: served.version,
    sender,
    nonce,
    success: success === 1n,
    actualGasCostWei,
    actualGasUsed,
    ...charge({ said, served, userOpHash, sender }),
    // Where `postOp` was undone, what validation took in tokens stays with the receiver, and no event tells how much.
    ...(said.sponsored && { paidInToken: paymentIn(said.paid, served) }),
  };
}

/** Only the contract that charged the wallet says what was paid. */
function paymentIn(paid: Log | undefined, { paymaster }: ServedContract): PaidInToken | null {
  return paid?.address === paymaster ? paymentOf(paid) : null;
}

function charge({
  said: { precharged, sponsored, due, undone },
  served,
  userOpHash,
  sender,
}: {
  said: Said;
  served: ServedContract;
  userOpHash: Hex;
  sender: Hex;
}): Pick<OperationEvent, 'wallet' | 'prechargeWei' | 'chargedWei' | 'unpaid'> {
  if (precharged?.address !== served.paymaster)
    throw new IncompleteOperationError(userOpHash, 'its UserOperationPrecharged is missing');
  const { topics, data } = logWords(precharged, { indexed: 2, data: 1 });
  const wallet = toAddress(topics[1]);
  const [prechargeWei] = data as [bigint];
  if (!sponsored) {
    // v0.6 settles or the whole bundle reverts; later versions say when they undid `postOp`.
    if (undone?.address !== served.entryPoint || due)
      throw new IncompleteOperationError(userOpHash, 'it was settled, and its UserOperationSponsored is missing');
    // Two logs say that `postOp` was undone. After UserOperationPrefundTooLow the calls are undone too. After
    // PostOpRevertReason the calls had succeeded before.
    const isTaken = undone.topics[0] === ENTRY_POINT_EVENTS.PostOpRevertReason;
    return { wallet, prechargeWei, chargedWei: prechargeWei, unpaid: { isTaken } };
  }
  const { chargedWei, fits } = settlement(sponsored, { paymaster: served.paymaster, wallet, sender, prechargeWei });
  if (!fits) throw new IncompleteOperationError(userOpHash, 'its events contradict each other');
  const charged = { wallet, prechargeWei, chargedWei };
  return due ? { ...charged, unpaid: unpaid(due, { served, userOpHash, sender }) } : charged;
}

/** What a contract of any generation says when it settles, and whether that fits to what the other events say. */
function settlement(
  sponsored: Log,
  { paymaster, wallet, sender, prechargeWei }: { paymaster: Hex; wallet: Hex; sender: Hex; prechargeWei: bigint },
): { chargedWei: bigint; fits: boolean } {
  const saysAll = sponsored.topics[0] === PAYMASTER_EVENTS.UserOperationSponsoredFormerly;
  const { topics, data } = logWords(sponsored, saysAll ? { indexed: 3, data: 3 } : { indexed: 2, data: 2 });
  const [chargedWei, refundedWei] = data as [bigint, bigint];
  const settles = saysAll
    ? toAddress(topics[2]) === sender && chargedWei + refundedWei === prechargeWei
    : chargedWei <= prechargeWei;
  return { chargedWei, fits: settles && sponsored.address === paymaster && toAddress(topics[1]) === wallet };
}

function unpaid(
  due: Log,
  { served, userOpHash, sender }: { served: ServedContract; userOpHash: Hex; sender: Hex },
): UnpaidInTokens {
  const { topics, data } = logWords(due, { indexed: 3, data: 2 });
  if (due.address !== served.paymaster || toAddress(topics[2]) !== sender)
    throw new IncompleteOperationError(userOpHash, 'its events contradict each other');
  return { isTaken: data[1] === 1n, token: toAddress(topics[1]) };
}

/** Movements on a wallet outside of operations: the form of each event, and which word of its data is the amount. */
const WALLET_EVENTS: Readonly<Record<Hex, WalletEventForm>> = {
  [PAYMASTER_EVENTS.FundsDeposited]: { kind: 'deposited', indexed: 2, data: 1, amountAt: 0 },
  [PAYMASTER_EVENTS.WithdrawalRequested]: { kind: 'withdrawalRequested', indexed: 1, data: 2, amountAt: 0 },
  [PAYMASTER_EVENTS.WithdrawalCancelled]: { kind: 'withdrawalCancelled', indexed: 1, data: 1, amountAt: 0 },
  [PAYMASTER_EVENTS.WithdrawalExecuted]: { kind: 'withdrawalExecuted', indexed: 2, data: 1, amountAt: 0 },
  [PAYMASTER_EVENTS.StrandedPrechargeReturned]: { kind: 'returned', indexed: 1, data: 1, amountAt: 0 },
  [PAYMASTER_EVENTS.UnsettledPrechargeReturned]: { kind: 'returned', indexed: 1, data: 2, amountAt: 1 },
};

interface WalletEventForm {
  readonly kind: Exclude<ChainEvent['kind'], 'operation' | 'nonceUsed'>;
  readonly indexed: number;
  readonly data: number;
  readonly amountAt: number;
}

function walletEvent(log: Log): ChainEvent | undefined {
  const form = WALLET_EVENTS[log.topics[0]!];
  if (!form) return undefined;
  const { kind, amountAt } = form;
  const { topics, data } = logWords(log, form);
  const { transactionHash, address: contract } = log;
  const event = { logIndex: Number(log.logIndex), transactionHash, contract, wallet: toAddress(topics[0]) };
  if (kind === 'withdrawalCancelled') return { kind, ...event };
  const amountWei = data[amountAt]!;
  // The owner may also clear a record for which nothing is returned.
  if (kind === 'returned' && amountWei === 0n) return undefined;
  return { kind, ...event, amountWei };
}
