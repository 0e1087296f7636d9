import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { generateApiKey } from '../platform/crypto/api-key';

/** How an API key is stored. */
export interface StoredApiKey {
  readonly index: string;
  readonly ciphertext: string;
}

/**
 * Puts so many paymasters of an account beside its own one, in place of those of an earlier call.
 *
 * @param store says how the API key of a paymaster is stored
 * @returns their API keys
 */
export async function seedPaymasters(
  client: Client,
  count: number,
  store: (apiKey: string, paymasterId: string) => StoredApiKey,
): Promise<string[]> {
  const apiKeys = Array.from({ length: count }, () => generateApiKey());
  const rows = apiKeys.map((apiKey) => {
    const id = randomUUID();
    return { id, ...store(apiKey, id) };
  });
  await client.query(`DELETE FROM dashboard.paymasters WHERE name LIKE 'row %'`);
  await client.query(
    `INSERT INTO dashboard.paymasters
     SELECT made.* FROM unnest($1::uuid[], $2::text[], $3::text[]) AS r(id, key_index, ciphertext),
       (SELECT * FROM dashboard.paymasters LIMIT 1) p,
       jsonb_populate_record(NULL::dashboard.paymasters, to_jsonb(p) || jsonb_build_object(
         'id', r.id, 'name', 'row ' || r.id, 'api_key_index', r.key_index, 'api_key_ciphertext', r.ciphertext)) made`,
    [rows.map(({ id }) => id), rows.map(({ index }) => index), rows.map(({ ciphertext }) => ciphertext)],
  );
  return apiKeys;
}
