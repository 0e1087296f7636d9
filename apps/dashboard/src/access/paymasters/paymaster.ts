import type { Address, StoredSettings } from '@paymaster/domain';

/** The one `type` of the interface document: sponsorship and token mode behind one address. */
export const PAYMASTER_TYPES = ['HYBRID'] as const;
export type PaymasterType = (typeof PAYMASTER_TYPES)[number];

/** What clients may ask for. 1.x is EntryPoint v0.6 by default, 2.x is v0.7 and later; each serves all of its chain. */
export const PAYMASTER_VERSIONS = ['1.0.0', '1.1.0', '2.0.0'] as const;
export type PaymasterVersion = (typeof PAYMASTER_VERSIONS)[number];

/** What belongs to a paymaster, by kind. */
export const COUNTED = [
  'contracts',
  'policies',
  'sharedPolicies',
  'tokens',
  'webhooks',
  'keys',
  'sessionKeys',
] as const;
export type PaymasterCounts = Readonly<Record<(typeof COUNTED)[number], number>>;

/** A registered paymaster (DApp) of one account on one chain. */
export interface Paymaster {
  readonly id: string;
  readonly accountId: string;
  /** Unique on its chain, over all accounts. */
  readonly name: string;
  readonly chainId: number;
  readonly type: PaymasterType;
  readonly paymasterVersion: PaymasterVersion;
  readonly apiKeyIndex: string;
  readonly apiKeyCiphertext: string;
  /** The wallet whose gas deposit pays, or null before the funding flow was done. */
  readonly fundingWallet: Address | null;
  /** Grows with every write that the gateway has to know of. */
  readonly policyVersion: number;
  readonly settings: StoredSettings;
  readonly createdAt: Date;
  /** Since when it is archived, so that gateways do not know its keys; null: it is not. */
  readonly archivedAt: Date | null;
  /** Since when the operator of the installation lets it sign nothing; null: it may sign. */
  readonly suspendedAt: Date | null;
  /** What clients and the owner are told about that; null: it may sign. */
  readonly suspensionReason: string | null;
}
