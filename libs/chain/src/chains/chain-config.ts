import type { Address, EntryPointVersion, Hex, PriceReference, TokenListing } from '@paymaster/domain';

/** One EntryPoint that the operator serves on a chain, with our paymaster contract for it. */
export interface EntryPointConfig {
  readonly entryPoint: Address;
  /** The only contract of this EntryPoint for which gateways sign. */
  readonly paymaster: Address;
  /** The contract that will replace `paymaster`. Settlement follows it already, so that wallets can be filled there. */
  readonly nextPaymaster?: Address | undefined;
  /** Contracts that `paymaster` has replaced. Settlement follows them until their wallets are empty. */
  readonly drainingPaymasters?: readonly Address[];
  /**
   * What gas costs in token mode, in percent of what was measured, where a fork of the chain has made gas dearer: 100 to
   * 475, a multiple of 25. Absent: 100. More is signed, which contracts take from the third generation on.
   */
  readonly tokenGasPercent?: number | undefined;
}

/** Bounds on what one operation may cost: inflated fields would pay the bundler more than his gas costs. */
export interface ChainBounds {
  /** Upper bound on `callGasLimit`; gas. */
  readonly maxCallGasLimit: bigint;
  /** Upper bound on `verificationGasLimit`; gas. */
  readonly maxVerificationGasLimit: bigint;
  /** The part of `preVerificationGas` for a rollup's L1 data may be at most this percentage of what we compute. */
  readonly maxL1GasPercent: bigint;
  /** `maxFeePerGas` may be at most this percentage of (base fee + tip). */
  readonly maxFeePercentOfBaseFee: bigint;
  /**
   * The ceilings of fee and tip are never lower than this; wei per gas. An attacker who bundles his own operations may
   * take this much per gas. The chain's own fees are enough, so the default is zero.
   */
  readonly feeFloorWei: bigint;
  /** Upper bound on `maxPriorityFeePerGas`; wei per gas. */
  readonly maxPriorityFeePerGasWei: bigint;
  /**
   * Cap on the precharge of an operation, if the paymaster sets none: this much gas at the chain's price (base fee plus
   * highest tip). A usual maximum fee is about two and a half times that price.
   */
  readonly defaultMaxOperationGas: bigint;
  /** The same cap at any price; wei. */
  readonly defaultMaxOperationCostWei: bigint;
  /** Cap on unpaid `batchApproval` operations per token, where the token has no cap of its own; wei. */
  readonly tokenExposureCapWei: bigint;
  /** The same cap per sender, over all tokens; wei. */
  readonly tokenSenderExposureCapWei: bigint;
}

/** How prices of a chain are found, and when they count. */
export interface ChainPricing {
  /** The native coin in USD. */
  readonly native: PriceReference;
  /** On an L2: the feed that says whether the sequencer is up (answer 0), and how long to wait after it came back. */
  readonly sequencer: { readonly feed: Address; readonly graceSeconds: number } | null;
  /** A price older than this is not quoted; seconds. */
  readonly maxAgeSeconds: number;
  /** How long after its heartbeat a feed's answer still counts; seconds. */
  readonly feedGraceSeconds: number;
  /** A source further than this from the median is dropped; millionths. */
  readonly maxDeviationMillionths: number;
  /** How many sources must be left; null: more than half of the sources that are named. */
  readonly minSources: number | null;
  /** A price that moved by more than this since the last one must be confirmed first; millionths. */
  readonly maxJumpMillionths: number;
}

/** Which blocks count as final: those that the nodes call final, or those with this many blocks on top. */
export type ChainFinality = { readonly tag: 'finalized' } | { readonly depth: number };

/** Kinds of rollups whose fees for L1 data are known; `none` for a chain without such fees. */
export const ROLLUP_KINDS = ['none', 'opStack', 'arbitrum'] as const;
export type RollupKind = (typeof ROLLUP_KINDS)[number];

/** Who estimates gas limits: `own` needs nodes that take state overrides, `bundler` a bundler's URL. */
export const GAS_ESTIMATES = ['own', 'bundler'] as const;
export type GasEstimates = (typeof GAS_ESTIMATES)[number];

/** Contracts of accounts that the operator knows, besides those that the platform knows. */
export interface KnownAccountsConfig {
  /** Factories whose accounts read call data as the function selector says, whatever the call to the factory is. */
  readonly factories: readonly Address[];
  /** Implementations of deployed accounts, behind proxies that the platform knows. */
  readonly implementations: readonly Address[];
  /** Contracts to which accounts delegate by EIP-7702. */
  readonly delegates: readonly Address[];
  /** Keccak-256 of code at the addresses of factories that the platform knows, where the chain has other code there. */
  readonly codeHashes: readonly Hex[];
}

/** Bundlers whose manners are known. */
export const BUNDLER_KINDS = ['alto', 'rundler', 'skandha', 'voltaire', 'other'] as const;
export type BundlerKind = (typeof BUNDLER_KINDS)[number];

/** A bundler of the operator's, or one that he rents. */
export interface BundlerConfig {
  /** In metrics and logs; the URL may hold a key. */
  readonly name: string;
  readonly url: string;
  readonly kind: BundlerKind;
  /** Absent: all that the chain serves. */
  readonly entryPoints?: readonly EntryPointVersion[] | undefined;
  /** Whether somebody is paid for each operation: then it is sent only what a paymaster of this platform sponsors. */
  readonly metered: boolean;
}

/** One chain of the operator's `chains.json`; the defaults stand in `chains-schema.ts`. */
export interface ChainConfig {
  readonly chainId: number;
  readonly name: string;
  readonly nativeSymbol: string;
  /** A block explorer without a path, to which `/tx/0x…` and `/address/0x…` are added; undefined where there is none. */
  readonly explorerUrl?: string | undefined;
  /** Tried in order; at least one. Money is read by agreement of more than half of them. */
  readonly rpcUrls: readonly string[];
  /**
   * The bundler that is asked for tips, and for estimates if `gasEstimates` says so; undefined: no bundler is asked.
   */
  readonly bundlerUrl?: string | undefined;
  /** Where clients' operations are sent, in this order; empty: the gateway sends none. */
  readonly bundlers: readonly BundlerConfig[];
  /** After so many blocks an operation that a bundler took, and that is in none of them, is sent to the next bundler. */
  readonly resendAfterBlocks: number;
  /** Whether clients may read the chain through the gateway, which some SDKs ask of their bundler. */
  readonly chainReads: boolean;
  /** Who says what an operation takes: this platform by simulation, or the bundler. */
  readonly gasEstimates: GasEstimates;
  /** Only the versions served on this chain are present; at least one. */
  readonly entryPoints: Readonly<Partial<Record<EntryPointVersion, EntryPointConfig>>>;
  /**
   * The kind of rollup that the operator configured. The gateway compares it with the chain, and signs nothing for a
   * chain of another kind.
   */
  readonly rollup: RollupKind;
  /** Its coin is worth nothing: what strangers could take of a wallet is not bounded (docs/threats.md). */
  readonly testnet: boolean;
  readonly blockTimeSeconds: number;
  /** A head older than this means the chain is halted: nothing is signed for it. */
  readonly maxHeadAgeSeconds: number;
  readonly finality: ChainFinality;
  /** The first block that can have events of our contracts: that of their deployment, or an earlier block. */
  readonly startBlock: bigint;
  /** Millionths charged to funding wallets; 1_000_000 = the cost itself. */
  readonly feeMarkupMillionths: bigint;
  readonly bounds: ChainBounds;
  /** Null: this chain has no token mode. */
  readonly pricing: ChainPricing | null;
  /** Tokens every paymaster of the chain accepts, from the operator's token list. */
  readonly tokens: readonly TokenListing[];
  /** Absent: the operator adds none. */
  readonly knownAccounts?: KnownAccountsConfig;
}
