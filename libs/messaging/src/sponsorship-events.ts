/** The JetStream stream of everything that happened to sponsored operations; filled from the ledger's outbox. */
export const SPONSORSHIP_STREAM = 'SPONSORSHIP';

/** What can happen to an operation or a wallet (docs/architecture/ledger.md, "Events"). */
export const SPONSORSHIP_EVENT_KINDS = [
  'granted',
  'refused',
  'landed',
  'unlanded',
  'settled',
  'voided',
  'walletChanged',
  'walletBraked',
  'networkNearRoom',
  'sent',
  'waiting',
  'bundlerRefused',
  'dropped',
] as const;
export type SponsorshipEventKind = (typeof SPONSORSHIP_EVENT_KINDS)[number];

/** `sponsorship.<kind>.<paymasterId>`; `none` where an event has no paymaster. */
export function sponsorshipSubject(kind: SponsorshipEventKind, paymasterId: string | null): string {
  return `sponsorship.${kind}.${paymasterId ?? 'none'}`;
}

interface EventBase {
  /** Also the `Nats-Msg-Id`. Consumers record it with their effects, so that a second delivery changes nothing. */
  readonly eventId: string;
  /** Time of writing, unix milliseconds, by the database's clock. */
  readonly atMs: number;
  readonly chainId: number;
  /** Null for operations and wallets whose paymaster is not known. */
  readonly paymasterId: string | null;
}

/** One line of a verdict's trace, as in the domain's TraceLine. */
export interface TraceLineMessage {
  readonly rule: string;
  readonly input: string;
  readonly outcome: 'pass' | 'refuse' | 'skip';
}

interface OperationRef {
  /** The ledger's id of the reservation; null for refusals. Decimal text. */
  readonly reservationId: string | null;
  readonly mode: 'sponsored' | 'token';
  readonly sender: string;
  /** Decimal text. */
  readonly nonce: string;
  readonly entryPointVersion: string;
}

/** What its user pays with. */
interface PaidInToken {
  /** The token's address, in lower case; left out where the operation is sponsored, and by gateways of before. */
  readonly token?: string | undefined;
}

/** A client got a signature. One reservation may be granted several times. */
export interface GrantedEvent extends EventBase, OperationRef, PaidInToken {
  readonly kind: 'granted';
  readonly requestId: string;
  readonly fundingWallet: string;
  readonly prechargeWei: string;
  readonly validUntilSeconds: number;
  readonly policyId: string | null;
  readonly policyVersion: number;
  readonly targets: readonly { readonly to: string; readonly selector: string | null; readonly valueWei: string }[];
  readonly trace: readonly TraceLineMessage[];
  /** The named key that asked; null for the apiKey. Absent in events of gateways that did not tell it. */
  readonly keyId?: string | null;
  /**
   * USD per whole coin of the chain when it was granted, decimal text; null where no price was known. Absent in events
   * of gateways that did not tell it.
   */
  readonly nativeUsd?: string | null;
  /** The token that its sender was to pay in, and its price at that time; null or absent where there is none. */
  readonly tokenPrice?: TokenPriceMessage | null;
}

/** What a token was worth. */
export interface TokenPriceMessage {
  readonly token: string;
  readonly decimals: number;
  /** Per whole token, decimal text. */
  readonly usd: string;
}

/** An operation was refused. */
export interface RefusedEvent extends EventBase, OperationRef, PaidInToken {
  readonly kind: 'refused';
  readonly requestId: string;
  readonly reason: string;
  readonly message: string;
  readonly policyVersion: number;
  /** Null where the operation was refused before its cost was known. */
  readonly prechargeWei: string | null;
  readonly targets: GrantedEvent['targets'];
  readonly trace: readonly TraceLineMessage[];
  /** Limits and amounts, as decimal text. */
  readonly details: Readonly<Record<string, string>>;
}

/** The operation is in a block (`landed`), in a final block (`settled`), or its block was undone (`unlanded`). */
export interface LandedEvent extends EventBase, OperationRef {
  readonly kind: 'landed' | 'settled' | 'unlanded';
  readonly userOpHash: string;
  readonly transactionHash: string;
  readonly blockNumber: string;
  readonly fundingWallet: string;
  /** What the wallet paid, markup included. */
  readonly chargedWei: string;
  /** What the EntryPoint took. */
  readonly actualGasCostWei: string;
  /** The gas for which it took that, decimal text. Absent in events from before this was told. */
  readonly actualGasUsed?: string;
  /** Whether the account's calls succeeded. */
  readonly success: boolean;
  /**
   * What the sender paid in a token, refunds taken off; null: nothing. Absent where it is not known: in events from
   * before this was told, and where `postOp` was undone.
   */
  readonly tokenPayment?: TokenPaymentMessage | null;
}

export interface TokenPaymentMessage {
  readonly token: string;
  /** Base units of the token, decimal text. */
  readonly amount: string;
}

/** A reservation ended without its operation. */
export interface VoidedEvent extends EventBase, OperationRef {
  readonly kind: 'voided';
  readonly because: 'expired' | 'nonceUsed';
  readonly releasedWei: string;
}

/**
 * What became of an operation that the gateway sent to the operator's bundlers: one took it (`sent`), it is in no block
 * yet (`waiting`), one refused it (`bundlerRefused`), or the gateway has given it up (`dropped`).
 */
export interface BundlerEvent extends EventBase, OperationRef {
  readonly kind: 'sent' | 'waiting' | 'bundlerRefused' | 'dropped';
  readonly userOpHash: string;
  /** The operator's name of the bundler: who took it last, or who refused it. */
  readonly bundler: string;
  /** The bundler's sentence, or ours; without URLs. Null where there is nothing to say. */
  readonly message: string | null;
}

/** A funding wallet's spendable balance changed for a reason other than operations. */
export interface WalletChangedEvent extends EventBase {
  readonly kind: 'walletChanged';
  readonly contract: string;
  readonly fundingWallet: string;
  readonly spendableWei: string;
  readonly heldWei: string;
}

/** The spending brake stopped a paymaster: one more operation, and it could have lost half of its wallet within an hour. */
export interface WalletBrakedEvent extends EventBase {
  readonly kind: 'walletBraked';
  readonly paymasterId: string;
  readonly contract: string;
  readonly fundingWallet: string;
  /** What the paymaster's operations cost the wallet within the hour. */
  readonly lostWei: string;
  readonly leftWei: string;
  /**
   * The owner's release that was in force, unix milliseconds; 0: no release. A later release ends the stop.
   */
  readonly releasedAtMs: number;
}

/** Within an hour a client network used half of what one may cost a wallet: perhaps it is a server of the owner's. */
export interface NetworkNearRoomEvent extends EventBase {
  readonly kind: 'networkNearRoom';
  readonly paymasterId: string;
  readonly contract: string;
  readonly fundingWallet: string;
  /** The network's name in the ledger ({@link NetworkNames}), or the hash of a user whom the owner's server names. */
  readonly network: string;
  /** What its operations cost within the hour, landed and expected; wei as decimal text. */
  readonly usedWei: string;
  readonly roomWei: string;
}

export type SponsorshipEvent =
  | GrantedEvent
  | RefusedEvent
  | LandedEvent
  | VoidedEvent
  | BundlerEvent
  | WalletChangedEvent
  | WalletBrakedEvent
  | NetworkNearRoomEvent;
