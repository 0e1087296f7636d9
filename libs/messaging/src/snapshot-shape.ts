import { ON_REFUSAL, PAYMASTER_VERSIONS, SPONSOR_DEPLOYMENTS } from '@paymaster/domain';
import type { PolicySnapshotMessage } from './policy-messages';

/** A message that says it is a policy snapshot and is none, or one of another chain than was asked for. */
export class MalformedSnapshotError extends Error {
  constructor(field: string) {
    super(`the policy snapshot has a wrong ${field}`);
    this.name = 'MalformedSnapshotError';
  }
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isFlag: Check = (value) => typeof value === 'boolean';
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isAddress: Check = (value) => typeof value === 'string' && /^0x[0-9a-f]{40}$/.test(value);
const isSelector: Check = (value) => typeof value === 'string' && /^0x[0-9a-f]{8}$/.test(value);
const isWei: Check = (value) => typeof value === 'string' && /^\d{1,78}$/.test(value);
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const oneOf =
  (words: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' && words.includes(value);

const SNAPSHOT: Readonly<Record<Exclude<keyof PolicySnapshotMessage, 'settings'>, Check>> = {
  paymasterId: isText,
  version: isCount,
  name: isText,
  chainId: isCount,
  paymasterVersion: oneOf(PAYMASTER_VERSIONS),
  fundingWallet: orNull(isAddress),
  contracts: listOf((value) => {
    const { address, selectors } = (value ?? {}) as Record<string, unknown>;
    return isAddress(address) && listOf(isSelector)(selectors);
  }),
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
};

/** @throws {MalformedSnapshotError} naming the first field that is not what a snapshot has there */
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
