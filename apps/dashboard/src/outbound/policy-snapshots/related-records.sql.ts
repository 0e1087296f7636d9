import {
  MAX_SNAPSHOT_ERRORS,
  TOKEN_TERMS,
  type Address,
  type ContractError,
  type Hex,
  type SentPrice,
  type SessionKey,
} from '@paymaster/domain';
import type { TokenListingMessage } from '@paymaster/messaging';
import { jsonArgumentsOf } from '../../platform/database/field-columns';
import type { Policy } from '../../programs/policies/policy';
import type { SharedPolicy } from '../../programs/policies/shared-policy';
import type { Webhook } from '../webhooks/webhook';

/**
 * The records that belong to a paymaster's row, as the statement below returns them. A kind without records is null.
 */
export interface RelatedRecords {
  readonly contracts: ReadonlyArray<{ readonly address: Address; readonly selectors: Hex[] }> | null;
  readonly tokens: readonly TokenRecord[] | null;
  readonly policies: readonly Policy[] | null;
  readonly sharedPolicies: readonly SharedPolicy[] | null;
  readonly webhooks: readonly Webhook[] | null;
  /** Secrets that are still in force after a rotation, of webhooks and WEBHOOK policies. */
  readonly secrets: ReadonlyArray<{ readonly id: string; readonly versions: readonly number[] }> | null;
  readonly sessionKeys: readonly SessionKey[] | null;
  readonly contractErrors: readonly ContractError[] | null;
}

/** A token with the columns of its price; wei as digits, because JSON numbers of JavaScript are not exact. */
export interface TokenRecord extends Omit<TokenListingMessage, 'price'> {
  readonly feedAddress: Address | null;
  readonly feedHeartbeatSeconds: number | null;
  readonly apiId: string | null;
  readonly fixedUsd: string | null;
  readonly priceOthers: SentPrice;
}

/**
 * Further columns for a statement over `dashboard.paymasters` with the alias `paymaster`. With them one statement reads
 * all parts of a snapshot, so they are all of the same moment. ABI texts stay in Postgres.
 */
export const RELATED_RECORDS: Readonly<Record<keyof RelatedRecords, string>> = {
  contracts: `(
    SELECT json_agg(json_build_object('address', c.address, 'selectors', c.selectors) ORDER BY c.created_at, c.id)
      FROM dashboard.smart_contracts c WHERE c.paymaster_id = paymaster.id)`,
  tokens: `(
    SELECT json_agg(json_build_object(
             'address', t.address, 'symbol', t.symbol, 'decimals', t.decimals,
             'feedAddress', t.price_feed_address, 'feedHeartbeatSeconds', t.price_feed_heartbeat_seconds,
             'apiId', t.price_api_id, 'fixedUsd', t.price_fixed_usd, 'priceOthers', t.price_others,
             'transferGas', t.transfer_gas, ${jsonArgumentsOf(TOKEN_TERMS, 't')}) ORDER BY t.created_at, t.id)
      FROM dashboard.tokens t WHERE t.paymaster_id = paymaster.id)`,
  policies: `(
    SELECT json_agg(json_build_object(
             'id', o.id, 'paymasterId', o.paymaster_id, 'createdBy', o.created_by, 'name', o.name,
             'active', o.active, 'policyType', o.policy_type, 'policyData', o.policy_data) ORDER BY o.creation_order)
      FROM dashboard.policies o WHERE o.paymaster_id = paymaster.id)`,
  sharedPolicies: `(
    SELECT json_agg(json_build_object(
             'id', h.id, 'name', h.name, 'active', h.active, 'policyType', h.policy_type, 'policyData', h.policy_data,
             'version', h.version) ORDER BY h.creation_order)
      FROM dashboard.shared_policies h JOIN dashboard.shared_policy_paymasters a ON a.shared_policy_id = h.id
     WHERE a.paymaster_id = paymaster.id)`,
  webhooks: `(
    SELECT json_agg(json_build_object(
             'id', w.id, 'paymasterId', w.paymaster_id, 'url', w.url, 'requestType', w.request_type,
             'active', w.active, 'events', w.events, 'lowBalanceHours', w.low_balance_hours) ORDER BY w.creation_order)
      FROM dashboard.webhooks w WHERE w.paymaster_id = paymaster.id)`,
  secrets: `(
    SELECT json_agg(json_build_object('id', s.webhook_id, 'versions',
             CASE WHEN s.previous_valid_until > now() THEN ARRAY[s.version, s.version - 1] ELSE ARRAY[s.version] END))
      FROM dashboard.webhook_secrets s
     WHERE s.webhook_id IN (SELECT id FROM dashboard.webhooks WHERE paymaster_id = paymaster.id
                            UNION ALL
                            SELECT id FROM dashboard.policies
                             WHERE paymaster_id = paymaster.id AND policy_type = 'WEBHOOK'))`,
  sessionKeys: `(
    SELECT json_agg(json_build_object('keyId', e.id, 'algorithm', e.algorithm, 'spki', e.spki) ORDER BY e.created_at, e.id)
      FROM dashboard.session_keys e WHERE e.paymaster_id = paymaster.id)`,
  contractErrors: `(
    SELECT json_agg(f.error ORDER BY f.since, f.error) FROM (
      SELECT e.error, min(c.created_at) AS since
        FROM dashboard.smart_contracts c CROSS JOIN jsonb_array_elements(c.errors) AS e(error)
       WHERE c.paymaster_id = paymaster.id GROUP BY e.error ORDER BY since, e.error LIMIT ${MAX_SNAPSHOT_ERRORS}) f)`,
};
