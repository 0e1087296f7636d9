import { FUNDING_REASONS, GATEWAY_REASONS, TOKEN_REASONS } from '@paymaster/domain';
import { POLICY_REASONS } from '@paymaster/policy';
import type { OperationReasonView } from './operation.view';

/** Why gateways refuse operations, by the tables that gateways answer by; in the order of the alphabet. */
export const REFUSAL_REASONS: readonly OperationReasonView[] = Object.entries({
  ...POLICY_REASONS,
  ...TOKEN_REASONS,
  ...GATEWAY_REASONS,
  ...FUNDING_REASONS,
})
  .map(([reason, when]) => ({ reason, when }))
  .sort((a, b) => (a.reason < b.reason ? -1 : 1));
