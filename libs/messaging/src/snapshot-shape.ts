import {
  MAX_ERROR_SIGNATURE_LENGTH,
  MAX_SNAPSHOT_ERRORS,
  PAYMASTER_VERSIONS,
  SETTINGS,
  eachField,
  withCapsTogether,
  type PaymasterSettings,
  type PolicySnapshot,
  type SponsorshipPolicyMessage,
} from '@paymaster/domain';
import {
  atMost,
  both,
  isAddress,
  isCount,
  isSelector,
  isText,
  listOf,
  oneOf,
  orNull,
  record,
  text,
  type Check,
} from './checks';
import type { OnWire } from './to-wire';
import { checkOf } from './field-shape';
import { areSessionKeys, isKeyGrant, type KeyGrantMessage } from './key-grant-shape';
import { areTokens, type TokenListingMessage } from './token-shape';

/** A snapshot on the wire: JSON, wei as decimal strings. */
export type PolicySnapshotMessage = Omit<PolicySnapshot, 'settings' | 'tokens' | 'policies' | 'key'> & {
  readonly settings: OnWire<PaymasterSettings>;
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

const { liveSignatureCaps, ...OTHER_SETTINGS } = withCapsTogether(eachField(SETTINGS, checkOf));
const SETTINGS_CHECKS: Readonly<Record<keyof PaymasterSettings, Check>> = {
  ...OTHER_SETTINGS,
  liveSignatureCaps: record(liveSignatureCaps),
  brakeReleasedAtMs: isCount,
};

/**
 * Checks a snapshot, except for its policies, which are checked when they are read.
 *
 * @throws {MalformedSnapshotError} naming the first field that is wrong
 */
export function assertSnapshotShape(value: unknown): asserts value is PolicySnapshotMessage {
  const snapshot = (value ?? {}) as Record<string, unknown>;
  assertFields(snapshot, SNAPSHOT, '');
  assertFields((snapshot['settings'] ?? {}) as Record<string, unknown>, SETTINGS_CHECKS, 'settings.');
}

function assertFields(value: Record<string, unknown>, checks: Readonly<Record<string, Check>>, prefix: string): void {
  for (const [field, check] of Object.entries(checks)) {
    if (!check(value[field])) throw new MalformedSnapshotError(`${prefix}${field}`);
  }
}
