import { paymasterOfKey } from '../../access/paymasters/paymaster-of-key.sql';

/** Texts of named keys that are in force and lie under one of the blind indexes. */
const textsOf = (indexes: string): string => `
  dashboard.named_key_texts t
   WHERE t.api_key_index = ANY (${indexes}) AND (t.valid_until IS NULL OR t.valid_until > now())`;

/**
 * As {@link paymasterOfKey}, and by named keys besides: for gateways that keep to what such a key may do, and for nobody
 * else. REST knows a paymaster by its own key alone.
 */
export const paymasterOfAnyKey = (indexes: string): string => `COALESCE(
  ${paymasterOfKey(indexes)},
  (SELECT t.paymaster_id FROM ${textsOf(indexes)} LIMIT 1))`;

/** The id of the named key behind the blind indexes, or NULL. */
export const namedKeyOf = (indexes: string): string => `(SELECT t.key_id FROM ${textsOf(indexes)} LIMIT 1)`;

/** What that key may do, as JSON; NULL for a paymaster's own key. */
export const keyRecordOf = (indexes: string): string => `(
  SELECT json_build_object(
           'keyId', k.id, 'kind', k.kind, 'terms', k.terms,
           'expiresAtMs', floor(extract(epoch FROM LEAST(k.expires_at, t.valid_until)) * 1000))
    FROM (SELECT t.key_id, t.valid_until FROM ${textsOf(indexes)} LIMIT 1) t
    JOIN dashboard.named_keys k ON k.id = t.key_id)`;

/**
 * Whether a key of `dashboard.paymasters` ends only by a change of the paymaster. A former key and a replaced text of a
 * named key end at their time.
 */
export const isLastingKey = (indexes: string): string => `(
  api_key_index = ANY (${indexes}) OR EXISTS (
    SELECT FROM dashboard.named_key_texts t WHERE t.api_key_index = ANY (${indexes}) AND t.valid_until IS NULL))`;
