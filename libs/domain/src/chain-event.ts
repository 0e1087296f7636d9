import type { EntryPointVersion } from './entry-point';
import type { Address, Hex } from './hex';

interface EventPlace {
  /** Position in the block; of an operation, that of its `UserOperationEvent`. */
  readonly logIndex: number;
  readonly transactionHash: Hex;
  /** The paymaster contract it is about; for `nonceUsed` the EntryPoint. */
  readonly contract: Address;
}

/** An operation that our contract paid for: the events of one user operation, put together. Amounts in wei. */
export interface OperationEvent extends EventPlace {
  readonly kind: 'operation';
  readonly wallet: Address;
  readonly userOpHash: Hex;
  readonly entryPoint: Address;
  readonly entryPointVersion: EntryPointVersion;
  readonly sender: Address;
  readonly nonce: bigint;
  readonly success: boolean;
  readonly prechargeWei: bigint;
  /** `chargedWei` of UserOperationSponsored; the whole precharge where postOp did not settle. */
  readonly chargedWei: bigint;
  readonly actualGasCostWei: bigint;
  /** The gas for which the EntryPoint took `actualGasCostWei`. Absent in events that a former version has stored. */
  readonly actualGasUsed?: bigint;
  /** Where the chain says that nothing was paid in tokens: `postOp` could not collect them, or was undone. */
  readonly unpaid?: UnpaidInTokens;
  /** What its sender paid in a token; null: in none. Absent where that is not told. */
  readonly paidInToken?: PaidInToken | null;
}

/** A payment in a token, refunds taken off. */
export interface PaidInToken {
  readonly token: Address;
  /** Base units of the token. */
  readonly amount: bigint;
}

/** Why an operation did not pay in tokens; of one that was sponsored it means nothing. */
export interface UnpaidInTokens {
  /** Its calls had succeeded and the token was gone all the same. */
  readonly isTaken: boolean;
  /** Absent where `postOp` was undone with everything it had said. */
  readonly token?: Address;
}

/** What a block did that concerns the books of funding wallets. Amounts in wei. */
export type ChainEvent =
  | OperationEvent
  | (EventPlace &
      (
        | { readonly kind: 'deposited'; readonly wallet: Address; readonly amountWei: bigint }
        | { readonly kind: 'withdrawalRequested'; readonly wallet: Address; readonly amountWei: bigint }
        | { readonly kind: 'withdrawalCancelled'; readonly wallet: Address }
        | { readonly kind: 'withdrawalExecuted'; readonly wallet: Address; readonly amountWei: bigint }
        /** Stranded or unsettled precharges that came back. */
        | { readonly kind: 'returned'; readonly wallet: Address; readonly amountWei: bigint }
        /** An operation that somebody else paid for: other holds on its nonce end when it is final. */
        | { readonly kind: 'nonceUsed'; readonly entryPoint: Address; readonly sender: Address; readonly nonce: bigint }
      ));
