import type { AuditEntry, AuditFilter } from '../../api/queries';
import { startOfDay } from '../../format/time';

/** What changes are recorded of, as a reader calls it. */
export const SUBJECTS: Readonly<Record<AuditEntry['subject'], string>> = {
  policy: 'Policy',
  settings: 'Settings',
  contract: 'Contract',
  token: 'Token',
  fundingWallet: 'Wallet',
  webhook: 'Webhook',
  alert: 'Alert',
  apiKey: 'Key',
  account: 'Account',
  member: 'Member',
  invitation: 'Invitation',
  authToken: 'Auth token',
  paymaster: 'Paymaster',
  passkey: 'Passkey',
  role: 'Role',
  mailAddress: 'Mail address',
  secondFactor: 'Second factor',
};

export interface AuditSearch {
  readonly paymaster?: string | undefined;
  readonly subject?: string | undefined;
  readonly who?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The filter that the URL says. Days are the reader's own; the dashboard counts in UTC. */
export function toAuditFilter({ paymaster, subject, who, from, to }: AuditSearch): AuditFilter {
  return {
    paymasterId: paymaster?.trim() || undefined,
    subject: (Object.keys(SUBJECTS) as AuditEntry['subject'][]).find((each) => each === subject),
    actor: who?.trim() || undefined,
    from: startOfDay(from, 0),
    to: startOfDay(to, 1),
  };
}
