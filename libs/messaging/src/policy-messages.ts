import type { PolicySnapshot, PaymasterSettings } from '@paymaster/domain';

/** NATS subjects. Request/reply ones are served in a queue group; broadcasts reach every process. */
export const SUBJECTS = {
  /** Request/reply: {@link ResolvePolicyRequest} -> {@link ResolvePolicyReply}. */
  policyResolve: 'paymaster.policy.resolve',
  /** Broadcast after every committed write: {@link PolicyChangedEvent}. */
  policyChanged: 'paymaster.policy.changed',
} as const;

/** The queue group of the dashboard's responders: one of them answers. */
export const DASHBOARD_QUEUE = 'dashboard';

/** The header that carries the request id from HTTP through NATS into every log line. */
export const REQUEST_ID_HEADER = 'x-request-id';

export interface ResolvePolicyRequest {
  readonly chainId: number;
  /** HMAC-SHA256 of the API key under the index key, hex. The key itself never travels. */
  readonly apiKeyIndex: string;
}

/** A snapshot on the wire: JSON, wei as decimal strings. */
export type PolicySnapshotMessage = Omit<PolicySnapshot, 'settings'> & {
  readonly settings: Omit<PaymasterSettings, 'maxOperationCostWei'> & { readonly maxOperationCostWei: string | null };
};

export type ResolvePolicyReply =
  { readonly found: true; readonly snapshot: PolicySnapshotMessage } | { readonly found: false };

export interface PolicyChangedEvent {
  readonly paymasterId: string;
  readonly version: number;
}

/** A snapshot as it travels. */
export function toMessage(snapshot: PolicySnapshot): PolicySnapshotMessage {
  const { maxOperationCostWei, ...settings } = snapshot.settings;
  return { ...snapshot, settings: { ...settings, maxOperationCostWei: maxOperationCostWei?.toString() ?? null } };
}

/** The snapshot in a message. The message comes from our own dashboard, so a wrong shape is a fault, not input. */
export function fromMessage(message: PolicySnapshotMessage): PolicySnapshot {
  const { maxOperationCostWei, ...settings } = message.settings;
  return {
    ...message,
    settings: { ...settings, maxOperationCostWei: maxOperationCostWei === null ? null : BigInt(maxOperationCostWei) },
  };
}
