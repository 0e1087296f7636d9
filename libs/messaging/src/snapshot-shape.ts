import {
  CHARGING_WAYS,
  MAX_ERROR_SIGNATURE_LENGTH,
  MAX_SNAPSHOT_ERRORS,
  ON_LIMIT_REACHED,
  ON_REFUSAL,
  PAYMASTER_VERSIONS,
  SPONSOR_DEPLOYMENTS,
  TOKEN_MODES,
  ZERO_ADDRESS,
  isSponsorIcon,
  type LiveSignatureCaps,
  type PaymasterSettings,
  type PolicySnapshot,
  type SponsorshipPolicyMessage,
} from '@paymaster/domain';
import {
  atMost,
  both,
  integer,
  isAddress,
  isCount,
  isFlag,
  isSelector,
  isText,
  isWei,
  listOf,
  oneOf,
  orNull,
  record,
  text,
  withoutTwins,
  type Check,
} from './checks';
import { areSessionKeys, isKeyGrant, isServerNetwork, MAX_SERVERS, type KeyGrantMessage } from './key-grant-shape';
import { areTokens, type TokenListingMessage } from './token-shape';

/** A snapshot on the wire: JSON, wei as decimal strings. */
export type PolicySnapshotMessage = Omit<PolicySnapshot, 'settings' | 'tokens' | 'policies' | 'key'> & {
  readonly settings: Omit<PaymasterSettings, 'maxOperationCostWei'> & { readonly maxOperationCostWei: string | null };
  readonly tokens: readonly TokenListingMessage[];
  readonly policies: readonly SponsorshipPolicyMessage[];
  readonly key: KeyGrantMessage | null;
};

/** A message that should be a policy snapshot and is not, or is of another chain than the question. */
export class MalformedSnapshotError extends Error {
  constructor(field: string) {
    super(`the policy snapshot has a wrong ${field}`);
    this.name = 'MalformedSnapshotError';
  }
}

const SNAPSHOT: Readonly<Record<Exclude<keyof PolicySnapshotMessage, 'settings' | 'policies'>, Check>> = {
  paymasterId: isText,
  version: isCount,
  name: isText,
  chainId: isCount,
  paymasterVersion: oneOf(PAYMASTER_VERSIONS),
  fundingWallet: orNull(isAddress),
  contracts: listOf(record({ address: isAddress, selectors: listOf(isSelector) })),
  tokens: areTokens,
  // A dashboard of an older version knows no such keys or errors, and sends nothing.
  key: (value) => value === undefined || value === null || isKeyGrant(value),
  sessionKeys: (value) => value === undefined || areSessionKeys(value),
  suspensionReason: (value) => value === undefined || value === null || isText(value),
  contractErrors: (value) => value === undefined || areContractErrors(value),
};

const areContractErrors: Check = both(
  atMost(MAX_SNAPSHOT_ERRORS),
  listOf(record({ selector: isSelector, signature: text(1, MAX_ERROR_SIGNATURE_LENGTH) })),
);

const MAX_LIVE_SIGNATURES = 1_000_000;
const LIVE_SIGNATURE_CAPS: Readonly<Record<keyof LiveSignatureCaps, Check>> = {
  perSender: integer(1, MAX_LIVE_SIGNATURES),
  perClient: integer(1, MAX_LIVE_SIGNATURES),
  perPaymaster: integer(1, MAX_LIVE_SIGNATURES),
  clientSharePercent: integer(1, 100),
};

const SETTINGS: Readonly<Record<keyof PolicySnapshotMessage['settings'], Check>> = {
  sponsorAnyContract: isFlag,
  sponsorNativeTransfers: isFlag,
  sponsorDeployments: oneOf(SPONSOR_DEPLOYMENTS),
  allowUnknownFactories: isFlag,
  requireKnownAccounts: isFlag,
  onRefusal: oneOf(ON_REFUSAL),
  explainToClients: isFlag,
  maxExpirySeconds: isCount,
  maxOperationCostWei: orNull(isWei),
  allowedOrigins: listOf(isText),
  tokenMode: oneOf(TOKEN_MODES),
  tokenChargingWays: withoutTwins(listOf(oneOf(CHARGING_WAYS))),
  tokenFeeReceiver: orNull((value) => isAddress(value) && value !== ZERO_ADDRESS),
  liveSignatureCaps: record(LIVE_SIGNATURE_CAPS),
  spendingBrake: isFlag,
  brakeReleasedAtMs: isCount,
  sponsorName: orNull(isText),
  sponsorIcon: orNull(isSponsorIcon),
  onLimitReached: oneOf(ON_LIMIT_REACHED),
  allowEqualFees: isFlag,
  allowCallDataSuffix: isFlag,
  // A dashboard of an older version knows no servers, and sends nothing.
  servers: (value) => value === undefined || areServers(value),
  ignoreForeignPolicyIds: isFlag,
  allowBatchApprovalWithoutRules: isFlag,
  // A dashboard of an older version does not know it, and sends nothing.
  signWhenSent: (value) => value === undefined || isFlag(value),
};

const areServers: Check = both(withoutTwins(listOf(isServerNetwork)), atMost(MAX_SERVERS));

/**
 * Checks a snapshot, except for its policies, which are checked when they are read.
 *
 * @throws {MalformedSnapshotError} naming the first field that is wrong
 */
export function assertSnapshotShape(value: unknown): asserts value is PolicySnapshotMessage {
  const snapshot = (value ?? {}) as Record<string, unknown>;
  assertFields(snapshot, SNAPSHOT, '');
  assertFields((snapshot['settings'] ?? {}) as Record<string, unknown>, SETTINGS, 'settings.');
}

function assertFields(value: Record<string, unknown>, checks: Readonly<Record<string, Check>>, prefix: string): void {
  for (const [field, check] of Object.entries(checks)) {
    if (!check(value[field])) throw new MalformedSnapshotError(`${prefix}${field}`);
  }
}
