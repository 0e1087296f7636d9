import type { Address, Hex } from './hex';
import type { KeyGrant } from './key-grant';
import type { SessionKey } from './session-key';
import { DEFAULT_LIVE_SIGNATURE_CAPS, type LiveSignatureCaps, type SponsorshipPolicy } from './sponsorship-policy';
import { CHARGING_WAYS, type ChargingWay, type TokenListing, type TokenMode } from './token';

/** When an operation may deploy its account: never, when all its calls are whitelisted, or always. */
export const SPONSOR_DEPLOYMENTS = ['never', 'withCall', 'always'] as const;
export type SponsorDeployments = (typeof SPONSOR_DEPLOYMENTS)[number];

/** How a refusal is answered to clients of Biconomy's dialect. */
export const ON_REFUSAL = ['error', 'userPays'] as const;
export type OnRefusal = (typeof ON_REFUSAL)[number];

/** Whether clients are told, when a spending limit refuses, how their user can pay in a token instead. */
export const ON_LIMIT_REACHED = ['refuse', 'erc20'] as const;
export type OnLimitReached = (typeof ON_LIMIT_REACHED)[number];

/** The switches of one paymaster (`/paymaster-settings`). */
export interface PaymasterSettings {
  readonly sponsorAnyContract: boolean;
  readonly sponsorNativeTransfers: boolean;
  readonly sponsorDeployments: SponsorDeployments;
  readonly allowUnknownFactories: boolean;
  readonly requireKnownAccounts: boolean;
  readonly onRefusal: OnRefusal;
  readonly explainToClients: boolean;
  /** Longest validity a client may ask for; unit: seconds. */
  readonly maxExpirySeconds: number;
  /** Cap on one operation's precharge, or null for the operator's default; unit: wei. */
  readonly maxOperationCostWei: bigint | null;
  /** Browser origins that may call; `*` stands for any. */
  readonly allowedOrigins: readonly string[];
  /** Which operations may be paid in tokens. */
  readonly tokenMode: TokenMode;
  /** Ways of charging that this paymaster allows; of each token's own ways only these are used. */
  readonly tokenChargingWays: readonly ChargingWay[];
  /** Who is paid in tokens, or null for the funding wallet. */
  readonly tokenFeeReceiver: Address | null;
  /** How many signatures may be live at once. */
  readonly liveSignatureCaps: LiveSignatureCaps;
  /** Whether the paymaster stops before it loses more than half of its funding wallet within an hour. */
  readonly spendingBrake: boolean;
  /** When the owner last let it go on; unix milliseconds, 0 for never. */
  readonly brakeReleasedAtMs: number;
  /** Who the wallet tells its user pays, or null for nobody. */
  readonly sponsorName: string | null;
  /** A small image as a data URI (`isSponsorIcon`), shown with the name, or null for none. */
  readonly sponsorIcon: string | null;
  readonly onLimitReached: OnLimitReached;
  /** Whether `maxFeePerGas` and `maxPriorityFeePerGas` may be equal, up to 250 % of base fee and highest tip. */
  readonly allowEqualFees: boolean;
  /** Whether bytes that the account ignores may follow the arguments in the call data. */
  readonly allowCallDataSuffix: boolean;
  /**
   * Addresses and networks of the owner's servers. The bounds on strangers count their requests for each user whom they
   * name, and not at all where they name nobody.
   */
  readonly servers: readonly string[];
  /** Whether clients may name policies of another vendor; each then stands for no policy at all. */
  readonly ignoreForeignPolicyIds: boolean;
  /**
   * Whether the way `batchApproval` is offered also while the paymaster has no contract and no policy, and so no bound
   * of its own on strangers who approve in their batch and do not pay.
   */
  readonly allowBatchApprovalWithoutRules: boolean;
  /**
   * Whether a sponsorship on EntryPoint v0.9 is signed only when the operation is sent to this platform's own address: until
   * then nobody can land it, and nothing is held for it. Has no effect where the chain has no bundler of v0.9.
   */
  readonly signWhenSent: boolean;
}

/** Versions a paymaster may be registered with. */
export const PAYMASTER_VERSIONS = ['1.0.0', '1.1.0', '2.0.0'] as const;
export type PaymasterVersion = (typeof PAYMASTER_VERSIONS)[number];

/** One registered contract and what of it is sponsored. */
export interface WhitelistedContract {
  readonly address: Address;
  /** 4-byte selectors of every whitelisted method, all overloads included; lower case. May be empty. */
  readonly selectors: readonly Hex[];
}

/** A custom error of a registered contract, with which a refusal says why a call reverts. It decides nothing. */
export interface ContractError {
  readonly selector: Hex;
  /** With the names of its arguments where they have any: `TooLittle(uint256 available,uint256 wanted)`. */
  readonly signature: string;
}

export const MAX_SNAPSHOT_ERRORS = 200;
/** Characters. */
export const MAX_ERROR_SIGNATURE_LENGTH = 300;

/**
 * All the gateway has to know of a paymaster to say yes or no, as the dashboard stood at `version`.
 * Versions of one paymaster only grow; a copy is never replaced by a lower one.
 */
export interface PolicySnapshot {
  readonly paymasterId: string;
  readonly version: number;
  readonly name: string;
  readonly chainId: number;
  /** As registered. It serves every EntryPoint; 1.x means v0.6 where an operation does not say, 2.0.0 v0.7. */
  readonly paymasterVersion: PaymasterVersion;
  /** The wallet whose gas deposit pays, or null before the funding flow was done. */
  readonly fundingWallet: Address | null;
  readonly contracts: readonly WhitelistedContract[];
  /** The paymaster's own tokens; they extend those of the chain, and override them by address. */
  readonly tokens: readonly TokenListing[];
  /** Active ones only, oldest first (docs/architecture/rules.md). */
  readonly policies: readonly SponsorshipPolicy[];
  readonly settings: PaymasterSettings;
  /** What the API key that was asked with may do; null for the paymaster's own key, which may do all of the above. */
  readonly key: KeyGrant | null;
  /** Who may sign session tokens for users of the paymaster. */
  readonly sessionKeys: readonly SessionKey[];
  /** Why the operator of the installation lets it sign nothing; clients are told. Null while it may sign. */
  readonly suspensionReason: string | null;
  /** Each once, those of the oldest contract first; at most {@link MAX_SNAPSHOT_ERRORS}. */
  readonly contractErrors: readonly ContractError[];
}

export const DEFAULT_PAYMASTER_SETTINGS: PaymasterSettings = {
  sponsorAnyContract: false,
  sponsorNativeTransfers: false,
  sponsorDeployments: 'withCall',
  allowUnknownFactories: false,
  requireKnownAccounts: false,
  onRefusal: 'error',
  explainToClients: false,
  maxExpirySeconds: 600,
  maxOperationCostWei: null,
  allowedOrigins: ['*'],
  tokenMode: 'anyCall',
  tokenChargingWays: CHARGING_WAYS,
  tokenFeeReceiver: null,
  liveSignatureCaps: DEFAULT_LIVE_SIGNATURE_CAPS,
  spendingBrake: true,
  brakeReleasedAtMs: 0,
  sponsorName: null,
  sponsorIcon: null,
  onLimitReached: 'refuse',
  allowEqualFees: true,
  allowCallDataSuffix: true,
  servers: [],
  ignoreForeignPolicyIds: false,
  allowBatchApprovalWithoutRules: false,
  signWhenSent: false,
};
