import type { Client } from 'pg';

/** How an API key, the destination of an alert, or the secret of a second factor lies in the database. */
export interface StoredKey {
  /** For whom it is encrypted; for a second factor a person. */
  readonly paymasterId: string;
  /** Its keyed blind index; null for what is not looked for by its text. */
  readonly index: string | null;
  readonly ciphertext: string;
}

/** How far a rotation is. */
export interface RotationProgress {
  /** Rows that were looked at. */
  readonly seen: number;
  /** Rows that were still of an older key; rewritten unless it was only asked. */
  readonly behind: number;
  /** Paymasters and people of whom something is opened by no key: left as it is. */
  readonly unreadable: readonly string[];
}

export interface RotationOptions {
  readonly client: Client;
  readonly batchSize: number;
  /** Counts, and writes nothing. */
  readonly checkOnly: boolean;
  readonly onBatch: (progress: RotationProgress) => void;
}

/** What becomes of a key: it changes, or it is as it should be. Throws when the key cannot be read. */
export type Renew = (stored: StoredKey) => Partial<Pick<StoredKey, 'index' | 'ciphertext'>> | undefined;

interface Row extends StoredKey {
  /** What the row is found by. */
  readonly key: string;
}

/** Former keys come last: one that becomes former meanwhile is seen there. */
const API_KEY = { index: 'api_key_index', ciphertext: 'api_key_ciphertext' } as const;
const TABLES = [
  { name: 'paymasters', key: 'id', type: 'uuid', owner: 'id', of: 'paymaster', ...API_KEY },
  { name: 'former_api_keys', key: 'api_key_index', type: 'text', owner: 'paymaster_id', of: 'paymaster', ...API_KEY },
  { name: 'named_key_texts', key: 'api_key_index', type: 'text', owner: 'paymaster_id', of: 'paymaster', ...API_KEY },
  {
    name: 'alerts',
    key: 'id',
    type: 'uuid',
    owner: 'paymaster_id',
    of: 'paymaster',
    index: null,
    ciphertext: 'ciphertext',
  },
  {
    name: 'second_factors',
    key: 'id',
    type: 'uuid',
    owner: 'person_id',
    of: 'person',
    index: null,
    ciphertext: 'secret_ciphertext',
  },
] as const;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';
type Table = (typeof TABLES)[number];

/**
 * Renews every API key in the database, current and former ones, destinations of alerts and secrets of second factors, a
 * batch per transaction. What is renewed needs it no more, so a run that was cut short goes on by starting anew, and several may run at once. Readers are not held up: a
 * row is the old or the new one.
 */
export async function rewriteApiKeys(options: RotationOptions & { readonly renew: Renew }): Promise<RotationProgress> {
  const progress = { seen: 0, behind: 0, unreadable: [] as string[] };
  for (const table of TABLES) {
    let after = BEFORE_ALL;
    for (;;) {
      const rows = await nextRows(options, table, after);
      const last = rows.at(-1);
      if (!last) break;
      const renewed = rows.flatMap((row) => {
        try {
          const changes = options.renew(row);
          return changes ? [{ from: row, to: { ...row, ...changes } }] : [];
        } catch {
          progress.unreadable.push(`${table.of} ${row.paymasterId}`);
          return [];
        }
      });
      if (!options.checkOnly && renewed.length > 0) await write(options.client, table, renewed);
      progress.seen += rows.length;
      progress.behind += renewed.length;
      options.onBatch(progress);
      after = last.paymasterId;
    }
  }
  return progress;
}

/** How many rows {@link rewriteApiKeys} looks at. */
export async function countApiKeys(client: Client): Promise<number> {
  const counts = TABLES.map(({ name }) => `(SELECT count(*) FROM dashboard.${name})`);
  const { rows } = await client.query<{ count: number }>(`SELECT (${counts.join(' + ')})::int AS count`);
  return rows[0]?.count ?? 0;
}

/** The keys of the next paymasters: in the order of paymasters, since the indexes themselves may change on the way. */
async function nextRows(
  { client, batchSize }: RotationOptions,
  { name, key, owner, index, ciphertext }: Table,
  after: string,
): Promise<readonly Row[]> {
  const { rows } = await client.query<Row>(
    `SELECT ${key} AS key, ${owner} AS "paymasterId", ${index} AS index, ${ciphertext} AS ciphertext
       FROM dashboard.${name}
      WHERE ${owner} IN (SELECT DISTINCT ${owner} FROM dashboard.${name} WHERE ${owner} > $1 ORDER BY 1 LIMIT $2)
      ORDER BY ${owner}`,
    [after, batchSize],
  );
  return rows;
}

/** One statement, so one transaction. A row that somebody else rewrote meanwhile is left to them. */
async function write(
  client: Client,
  { name, key, type, index, ciphertext }: Table,
  renewed: ReadonlyArray<{ from: Row; to: Row }>,
): Promise<void> {
  await client.query(
    `UPDATE dashboard.${name} k SET ${index ? `${index} = r.index, ` : ''}${ciphertext} = r.ciphertext
       FROM unnest($1::${type}[], $2::text[], $3::text[], $4::text[], $5::text[])
              AS r(key, old_index, index, old_ciphertext, ciphertext)
      WHERE k.${key} = r.key AND ${index ? `k.${index} = r.old_index AND ` : ''}k.${ciphertext} = r.old_ciphertext`,
    [
      renewed.map(({ from }) => from.key),
      renewed.map(({ from }) => from.index),
      renewed.map(({ to }) => to.index),
      renewed.map(({ from }) => from.ciphertext),
      renewed.map(({ to }) => to.ciphertext),
    ],
  );
}
