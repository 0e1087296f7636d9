import type { Client } from 'pg';
import type { ApiKeyCipher } from './api-key-cipher';

/** How far a rotation is. */
export interface RotationProgress {
  /** Rows that were looked at. */
  readonly seen: number;
  /** Rows that an older key still opened; rewritten unless it was only asked. */
  readonly behind: number;
  /** Paymasters whose API key no key opens: left as they are. */
  readonly unreadable: readonly string[];
}

export interface RotationOptions {
  readonly client: Client;
  readonly cipher: ApiKeyCipher;
  readonly batchSize: number;
  /** Counts, and writes nothing. */
  readonly checkOnly: boolean;
  readonly onBatch: (progress: RotationProgress) => void;
}

interface Row {
  readonly id: string;
  readonly ciphertext: string;
}

/** Ids are random, so this is before all of them. */
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/**
 * Encrypts every API key that an older key opens again with the newest one, a batch per transaction. What is rewritten
 * is opened by the newest key, so a run that was cut short goes on by starting anew, and several may run at once.
 * Readers are not held up: a row is the old or the new one, and both keys are live.
 */
export async function rotateEncryption(options: RotationOptions): Promise<RotationProgress> {
  const { client, cipher, batchSize, checkOnly, onBatch } = options;
  const progress = { seen: 0, behind: 0, unreadable: [] as string[] };
  let after = BEFORE_ALL;
  for (;;) {
    const rows = await nextRows(client, { after, batchSize });
    const last = rows.at(-1);
    if (!last) return progress;
    const behind: Array<Row & { rewritten: string }> = [];
    for (const row of rows) {
      const opened = tryToOpen(cipher, row);
      if (!opened) progress.unreadable.push(row.id);
      else if (!opened.isNewest) behind.push({ ...row, rewritten: cipher.encrypt(opened.apiKey, row.id) });
    }
    if (!checkOnly && behind.length > 0) await rewrite(client, behind);
    progress.seen += rows.length;
    progress.behind += behind.length;
    onBatch(progress);
    after = last.id;
  }
}

async function nextRows(
  client: Client,
  { after, batchSize }: { after: string; batchSize: number },
): Promise<readonly Row[]> {
  const { rows } = await client.query<Row>(
    `SELECT id, api_key_ciphertext AS ciphertext FROM dashboard.paymasters WHERE id > $1 ORDER BY id LIMIT $2`,
    [after, batchSize],
  );
  return rows;
}

function tryToOpen(cipher: ApiKeyCipher, { id, ciphertext }: Row): ReturnType<ApiKeyCipher['open']> | undefined {
  try {
    return cipher.open(ciphertext, id);
  } catch {
    return undefined;
  }
}

/** One statement, so one transaction. A row that somebody else rewrote meanwhile is left to them. */
async function rewrite(client: Client, rows: ReadonlyArray<Row & { rewritten: string }>): Promise<void> {
  await client.query(
    `UPDATE dashboard.paymasters p SET api_key_ciphertext = r.rewritten
       FROM unnest($1::uuid[], $2::text[], $3::text[]) AS r(id, ciphertext, rewritten)
      WHERE p.id = r.id AND p.api_key_ciphertext = r.ciphertext`,
    [rows.map(({ id }) => id), rows.map(({ ciphertext }) => ciphertext), rows.map(({ rewritten }) => rewritten)],
  );
}
