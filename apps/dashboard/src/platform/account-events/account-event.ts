/** What pages can follow. */
export const ACCOUNT_EVENT_TYPES = [
  'operation.granted',
  'operation.refused',
  'operation.landed',
  'operation.unlanded',
  'operation.settled',
  'operation.voided',
  'operation.sent',
  'operation.waiting',
  'operation.bundlerRefused',
  'operation.dropped',
  'policy.changed',
  'paymaster.suspended',
  'paymaster.resumed',
] as const;
export type AccountEventType = (typeof ACCOUNT_EVENT_TYPES)[number];

/** Something that happened in an account. */
export interface AccountEvent {
  /** Counts from 1 within the account, in the order of commits. */
  readonly number: number;
  readonly type: AccountEventType;
  readonly at: Date;
  readonly data: object;
}
