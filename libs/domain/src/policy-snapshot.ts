import type { Address, Hex } from './hex';
import type { KeyGrant } from './key-grant';
import type { SessionKey } from './session-key';
import type { PaymasterSettings } from './settings';
import type { SponsorshipPolicy } from './sponsorship-policy';
import type { TokenListing } from './token-listing';

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
