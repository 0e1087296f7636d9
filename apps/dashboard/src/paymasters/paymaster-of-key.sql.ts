/**
 * The id of the paymaster that a blind index stands for, or NULL: by its current key, else by a former one that has not
 * ended by the database's clock. Part of a statement that reads the paymaster, so that one statement sees one state;
 * the second index is only looked at when the first has nothing.
 *
 * @param index the statement's parameter for the blind index, such as `$1`
 */
export const paymasterOfKey = (index: string): string => `(
  SELECT id FROM dashboard.paymasters WHERE api_key_index = ${index}
  UNION ALL
  SELECT paymaster_id FROM dashboard.former_api_keys WHERE api_key_index = ${index} AND valid_until > now()
  LIMIT 1)`;
