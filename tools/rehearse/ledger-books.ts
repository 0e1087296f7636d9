import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { World } from './world';

/** Limits that were passed: there must be none, whatever the ledger itself says. */
const OVERRUNS = `
  SELECT key AS what FROM ledger.budgets WHERE reserved + spent > limit_amount
  UNION ALL SELECT wallet FROM ledger.wallets WHERE held_wei > spendable_wei OR held_wei > balance_wei`;

/** Every operation of a rehearsal has a sender of its own. */
const RESERVATIONS = 'SELECT id::text, sender FROM ledger.reservations WHERE sender = ANY ($1)';
const TWICE = 'SELECT sender FROM ledger.reservations GROUP BY sender HAVING count(*) > 1';

/** Runs settlement's own check of the books, the operator's command. @returns what differs; empty when nothing does */
export async function verifyBooks(world: World): Promise<string> {
  const chainsFile = join(world.folder, 'chains.json');
  writeFileSync(chainsFile, world.chainsJson);
  const env = { PATH: process.env['PATH'], DATABASE_URL: world.databaseUrl, CHAINS_FILE: chainsFile };
  const command = [join(world.folder, 'images/settlement/ledger.js'), 'verify'];
  return promisify(execFile)(process.execPath, command, { env, maxBuffer: 64 * 2 ** 20 }).then(
    () => '',
    (error: { stdout?: string; message: string }) => error.stdout || error.message,
  );
}

/** The ids of the reservations of these senders' operations. */
export async function reservationsOf(world: World, senders: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await world.database.query<{ id: string; sender: string }>(RESERVATIONS, [senders]);
  return new Map(rows.map(({ id, sender }) => [sender, id]));
}

export async function passedLimits(world: World): Promise<number> {
  return (await world.database.query(OVERRUNS)).rowCount ?? 0;
}

/** Operations with more than one reservation. */
export async function reservedTwice(world: World): Promise<number> {
  return (await world.database.query(TWICE)).rowCount ?? 0;
}
