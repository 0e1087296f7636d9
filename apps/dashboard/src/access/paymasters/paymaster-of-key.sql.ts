/**
 * The id of the paymaster that a key's blind indexes stand for, or NULL: by its current key, else by a former one that has not
 * ended by the database's clock. Part of a statement that reads the paymaster, so that one statement sees one state;
 * the second index is only looked at when the first has nothing.
 *
 * @param indexes the statement's parameter for the array of the key's blind indexes under all live index keys, such as `$1`
 */
export const paymasterOfKey = (indexes: string): string => `(
  SELECT id FROM dashboard.paymasters WHERE api_key_index = ANY (${indexes})
  UNION ALL
  SELECT paymaster_id FROM dashboard.former_api_keys WHERE api_key_index = ANY (${indexes}) AND valid_until > now()
  LIMIT 1)`;
