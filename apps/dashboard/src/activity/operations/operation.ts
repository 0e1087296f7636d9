/** What became of an operation. A refused one is an operation too. */
export const OPERATION_STATES = ['granted', 'refused', 'landed', 'settled', 'voided'] as const;
export type OperationState = (typeof OPERATION_STATES)[number];

/** What a bundler can have done with an operation. */
export const BUNDLER_STATES = ['sent', 'waiting', 'refused', 'dropped'] as const;

/** What a bundler did with an operation that the gateway sent to it. */
export interface BundlerState {
  readonly state: (typeof BUNDLER_STATES)[number];
  /** The operator's name of the bundler. */
  readonly name: string;
  readonly message: string | null;
  readonly userOpHash: string;
  readonly atMs: number;
}

/** A row of the read model. Amounts in wei as decimal text, as they are shown. */
export interface Operation {
  readonly id: string;
  readonly paymasterId: string;
  readonly state: OperationState;
  readonly mode: string;
  /** That the user pays in; null: the operation is sponsored, or its gateway did not tell. */
  readonly token: string | null;
  /** USD per whole coin when it was granted; null: not recorded. */
  readonly nativeUsd: string | null;
  readonly chainId: number;
  readonly sender: string;
  readonly nonce: string;
  readonly entryPointVersion: string;
  readonly requestId: string | null;
  /** How many signatures were given for it. */
  readonly grants: number;
  readonly policyId: string | null;
  readonly policyVersion: number | null;
  readonly reason: string | null;
  readonly message: string | null;
  readonly details: Readonly<Record<string, string>> | null;
  readonly targets: readonly OperationTarget[] | null;
  readonly trace: readonly OperationTraceLine[] | null;
  readonly fundingWallet: string | null;
  readonly expectedCostWei: string | null;
  readonly validUntil: number | null;
  readonly actualCostWei: string | null;
  readonly gasCostWei: string | null;
  readonly success: boolean | null;
  readonly userOpHash: string | null;
  readonly transactionHash: string | null;
  readonly blockNumber: string | null;
  readonly voidReason: string | null;
  /** Null: the gateway sent it to no bundler. */
  readonly bundler: BundlerState | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A call that the operation makes. */
export interface OperationTarget {
  readonly to: string;
  readonly selector: string | null;
  readonly valueWei: string;
}

/** Why the calls of an operation cannot be read from the chain. */
export const NO_CALLS_REASONS = [
  'notLanded',
  'chainNotServed',
  'transactionUnknown',
  'notInBundle',
  'notUnderstood',
] as const;
export type NoCallsReason = (typeof NO_CALLS_REASONS)[number];

export interface OperationTraceLine {
  readonly rule: string;
  readonly input: string;
  readonly outcome: string;
}

/** Whose operations are wanted: of one paymaster, or of all of an account. */
export type OperationsOwner = { readonly paymasterId: string } | { readonly accountId: string };

/** What an operation has exactly. */
export interface OperationFacts {
  readonly id?: string;
  readonly state?: OperationState;
  readonly reason?: string;
  readonly sender?: string;
  readonly userOpHash?: string;
  readonly requestId?: string;
  readonly transactionHash?: string;
  readonly policyId?: string;
}

/** Which operations are wanted; newest first. */
export interface OperationFilter extends OperationFacts {
  readonly owner: OperationsOwner;
  /** One of these, whichever. */
  readonly anyOf?: readonly OperationFacts[];
  /** An address that the operation called. */
  readonly contract?: string;
  /** A selector that the operation called; with `contract`, of that contract. */
  readonly method?: string;
  /** Inclusive. */
  readonly from?: Date;
  /** Exclusive. */
  readonly to?: Date;
}

/**
 * What settled operations cost and brought in. USD are those of the operations' own time, to the 12th digit behind the
 * point, as decimal text.
 */
export interface Money {
  /** What funding wallets paid: gross. */
  readonly spentWei: string;
  /** The same, without the operations of `unpriced`. */
  readonly spentUsd: string;
  /** Operations of which no price of the coin is recorded. */
  readonly unpriced: number;
  /** What senders paid in tokens, without the operations of `unrecorded`. */
  readonly receivedUsd: string;
  /** Operations that senders pay in a token, of which no payment or no price of the token is recorded. */
  readonly unrecorded: number;
  /** `spentUsd` less `receivedUsd`; below zero where tokens brought more than the gas cost. */
  readonly netUsd: string;
}

/** How many operations there were, by what became of them. */
export interface Counters {
  readonly granted: number;
  readonly refused: number;
  readonly settled: number;
  readonly reverted: number;
  readonly voided: number;
}

/** Counters of one hour or day. */
export interface UsagePoint extends Counters, Money {
  readonly start: Date;
  /** Gas of settled operations, as far as it is recorded. */
  readonly gasUsed: string;
  /** What the EntryPoint took for that gas; less than `spentWei`, which has the markup. */
  readonly gasCostWei: string;
}

/** Counters of one paymaster over a period. */
export interface UsageOfPaymaster extends Counters, Money {
  readonly paymasterId: string;
}

/** By what usage can be split. By mode each operation counts once, so the two parts are the whole. */
export const USAGE_PARTS = ['contract', 'method', 'policy', 'sender', 'mode', 'key', 'token'] as const;
export type UsagePart = (typeof USAGE_PARTS)[number];

/** Counters of one contract, method, policy, sender, mode, named key or token over a period. */
export interface UsageOfPart extends Omit<Counters, 'refused'>, Money {
  readonly start: Date;
  /** An address, `contract:selector`, the id of a policy or key, `sponsored` or `token`. */
  readonly key: string;
  /** Base units of the token; of other parts absent. */
  readonly received?: string;
}
