import type { Address, SponsorshipPolicyMessage } from '@paymaster/domain';

/**
 * Subjects of the dashboard's questions to gateways. Gateways share a queue group, so one gateway answers each
 * question.
 */
export const GATEWAY_SUBJECTS = {
  explain: 'paymaster.gateway.explain',
  limits: 'paymaster.gateway.limits',
  prices: 'paymaster.gateway.prices',
  chains: 'paymaster.gateway.chains',
  wallets: 'paymaster.gateway.wallets',
} as const;
export type GatewayQuestionKind = keyof typeof GATEWAY_SUBJECTS;

export const GATEWAY_QUEUE = 'paymaster-rpc';

/** The inbox to which gateways answer; only the dashboard may subscribe to it. */
export const DASHBOARD_INBOX = '_INBOX_dashboard';

/** A gateway does not read a question of more bytes. */
export const MAX_GATEWAY_QUESTION_BYTES = 262_144;

/** The longest time for which a gateway works on a question; milliseconds. */
export const MAX_GATEWAY_QUESTION_MS = 5_000;

/** Wallets in one question; their accounts are read in one statement, together with those that requests ask for. */
export const MAX_ASKED_WALLETS = 250;

/** A paymaster as gateways know it: by a blind index of its API key. */
export interface AskedPaymaster {
  readonly chainId: number;
  readonly apiKeyIndex: string;
}

/** The questions by their kinds. */
export interface GatewayQuestions {
  /** The answer that a request for sponsorship would get, and its reasons. */
  readonly explain: AskedPaymaster & { readonly userOperation: object; readonly entryPoint?: string };
  /** How much of each limit of a policy is used, whether or not the policy is in force. */
  readonly limits: {
    readonly chainId: number;
    readonly paymasterId: string;
    readonly policy: SponsorshipPolicyMessage;
    /** The account of which the use of limits per user is wanted; without it, their use is null. */
    readonly sender?: string;
  };
  /** The prices of the paymaster's tokens. */
  readonly prices: AskedPaymaster;
  /** What the gateway knows of each chain that it serves; for the operator only. */
  readonly chains: Readonly<Record<string, never>>;
  /** What these funding wallets can spend; for the operator only. */
  readonly wallets: { readonly wallets: readonly AskedWallet[] };
}

/** A funding wallet, over all paymaster contracts of its chain. */
export interface AskedWallet {
  readonly chainId: number;
  readonly wallet: Address;
}

/** The answers by the kinds of their questions; amounts are decimal text. */
export interface GatewayAnswers {
  readonly explain: GatewayExplanation;
  readonly limits: readonly LimitUse[];
  readonly prices: TokenPrices;
  readonly chains: readonly GatewayChain[];
  /** Wei, in the order of the question; null where the books of the wallet's chain cannot be read. */
  readonly wallets: readonly (string | null)[];
}

export interface GatewayExplanation {
  readonly sponsored: boolean;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly policyId: string | null;
  readonly maxCostWei: string | null;
  readonly gasLimits: Readonly<Record<string, string>> | null;
  readonly budgets: readonly object[];
  readonly trace: readonly object[];
  /** Null where the account's call data is not understood; gateways of the version before leave it out. */
  readonly calls?: readonly ExplainedCall[] | null;
}

/** A call that an account makes. */
export interface ExplainedCall {
  readonly to: string;
  readonly valueWei: string;
  /** Null where the call data have less than four bytes. */
  readonly selector: string | null;
  readonly data: string;
}

export interface LimitUse {
  /** The limit in words. */
  readonly rule: string;
  readonly perUser: boolean;
  readonly unit: 'wei' | 'microUsd' | 'count';
  readonly amount: string;
  /** The amount that is held and spent; null for a limit per user if the question named no user. */
  readonly used: string | null;
  /** Unix seconds; null for a limit that never resets. */
  readonly resetsAtSeconds: number | null;
}

export interface TokenPrices {
  /** Null while there is no price that can be believed. */
  readonly nativeUsd: string | null;
  readonly tokens: readonly TokenPrice[];
}

export interface TokenPrice {
  readonly address: string;
  readonly symbol: string;
  /** Null while there is no price that can be believed. */
  readonly usd: string | null;
  /** Why there is no price; null if there is a price. */
  readonly problem: string | null;
  readonly ageSeconds: number | null;
  readonly sources: readonly string[];
  /** Sources that did not count in the last reading. */
  readonly leftOut: readonly string[];
  readonly premiumMillionths: number;
  /** What the funding wallet may lose now, because operations fail to pay in the token. */
  readonly exposedWei: string;
  readonly exposureCapWei: string;
}

/** A chain as one gateway knows it. */
export interface GatewayChain {
  readonly chainId: number;
  /** The newest block seen, and for how long it has been the newest; null before one was seen. */
  readonly head: { readonly blockNumber: string; readonly ageSeconds: number } | null;
  /** By host only, because URLs hold keys. */
  readonly providers: readonly GatewayProvider[];
  readonly signers: readonly GatewaySigner[];
  /** How far settlement's books go; null while the gateway cannot read them, or while the chain has no books. */
  readonly books: { readonly lagSeconds: number | null; readonly haltedReason: string | null } | null;
}

export interface GatewayProvider {
  readonly host: string;
  /** What the gateway reads through it, such as `chain` or `validations`. */
  readonly use: string;
  readonly isUp: boolean;
  /** Behind the newest block of any provider; null where it is not known. */
  readonly lagBlocks: number | null;
  /** Calls since the gateway started. */
  readonly calls: { readonly answered: number; readonly failed: number };
}

/** A key that signs for the chain's paymaster contracts. */
export interface GatewaySigner {
  /** The operator's name for it. */
  readonly name: string;
  readonly address: string;
  readonly isUp: boolean;
  /** Null while it is up. */
  readonly downBecause: string | null;
  readonly contracts: readonly {
    readonly version: string;
    /** Whether the contract accepts its signatures now. */
    readonly isAccepted: boolean;
    /** When the contract will accept them, unix seconds; null for a signer that does not wait. */
    readonly activeFromSeconds: number | null;
  }[];
}

/** A gateway's reply: the answer, or that the question is wrong, or that the gateway cannot answer now. */
export type GatewayReply<Kind extends GatewayQuestionKind = GatewayQuestionKind> =
  | { readonly answer: GatewayAnswers[Kind] }
  | { readonly refused: { readonly reason: string; readonly message: string } }
  | { readonly failed: string };

/** The text of a question, over which its HMAC is made. */
export interface GatewayEnvelope<Kind extends GatewayQuestionKind = GatewayQuestionKind> {
  /** New for every question. */
  readonly requestId: string;
  /** Unix milliseconds. */
  readonly sentAtMs: number;
  /** For how long the dashboard waits. */
  readonly timeLeftMs: number;
  readonly question: GatewayQuestions[Kind];
}
