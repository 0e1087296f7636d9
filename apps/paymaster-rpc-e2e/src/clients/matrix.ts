import type { Stack } from '@paymaster/devnet';
import { dashboardOk } from '../support/dashboard-client';
import { changeSettings, freshPaymaster } from '../support/fresh-paymaster';
import { rules } from '../support/policies';
import { tokenOf } from '../support/tokens';
import { placeAccountContracts, placeDemoNft } from './account-contracts';
import { MODES, type ClientRow, type Mode } from './client-rows';
import type { Operation } from './operations';
import { runClient, type ClientJob, type ClientOutcome } from './run-client';

/** What became of one operation of a row. */
export interface Played {
  readonly row: ClientRow;
  readonly mode: Mode;
  readonly operation: Operation;
  readonly outcome: ClientOutcome;
}

/** Of one account each: what it does, one after the other. */
export type Plan = readonly (readonly Operation[])[];

export interface Matrix {
  readonly rows: readonly ClientRow[];
  readonly planOf: (row: ClientRow) => Plan;
  /** Clients that play at the same time. */
  readonly atOnce: number;
  /** A client that takes longer is ended; milliseconds. */
  readonly withinMs: number;
  /** Told of each client that is done. */
  readonly progress?: (line: string) => void;
}

export const rowId = ({ client, account, version }: ClientRow) => `${client}, ${account}, v${version}`;

/** What an owner switches on who wants all of that sponsored; everything else is as a new paymaster has it. */
const SPONSORED_HERE = { sponsorAnyContract: true, sponsorNativeTransfers: true };

const PAYMASTERS_AT_ONCE = 3;

interface RowPaymaster {
  readonly url: string;
  readonly policyId: string | undefined;
}

/** Plays the rows on a chain, each client in a process of its own. */
export async function playMatrix(stack: Stack, matrix: Matrix): Promise<readonly Played[]> {
  const { rows, atOnce, progress = () => undefined } = matrix;
  // First, because the compiler keeps this process from sending: the dashboard would give a request up half-way.
  await placeAccountContracts(stack);
  const world = { stack, token: tokenOf(stack, 'USDx'), nft: await placeDemoNft(stack) };
  const paymasterOf = await makePaymasters(stack, rows);
  const waiting = [...new Set(rows.map(({ driver }) => driver))];
  const played: Played[] = [];
  const work = async () => {
    for (let driver = waiting.shift(); driver; driver = waiting.shift()) {
      const started = Date.now();
      const jobs = rows.filter((row) => row.driver === driver).flatMap((row) => jobsOf(row));
      const outcomes = await runClient(driver, world, { jobs, withinMs: matrix.withinMs });
      for (const { id, operation, ...outcome } of outcomes) {
        const job = jobs.find((each) => each.id === id);
        if (job) played.push({ row: job.row, mode: job.mode, operation, outcome });
      }
      const landed = outcomes.filter((outcome) => 'returned' in outcome).length;
      progress(`${driver}: ${landed} of ${outcomes.length} in ${Math.round((Date.now() - started) / 1_000)} s`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return played;

  function jobsOf(row: ClientRow): readonly (ClientJob & { row: ClientRow })[] {
    const { url, policyId } = paymasterOf(row);
    return MODES.flatMap((mode) =>
      matrix.planOf(row).map((operations, account) => ({
        ...row,
        ...{ row, mode, operations, paymasterUrl: url },
        id: `${rowId(row)} ${mode} ${account}`,
        policyId: row.namesPolicy && policyId,
      })),
    );
  }
}

/**
 * One paymaster for all rows of a client that need the same: what new accounts owe in tokens is bounded for each
 * funding wallet.
 */
async function makePaymasters(stack: Stack, rows: readonly ClientRow[]): Promise<(row: ClientRow) => RowPaymaster> {
  const needsOf = ({ driver, settings, delegates, namesPolicy }: ClientRow) =>
    JSON.stringify({ driver, settings, delegates, namesPolicy });
  const waiting = [...new Map(rows.map((row) => [needsOf(row), row])).values()];
  const made = new Map<string, RowPaymaster>();
  // Few at once: with all their deposits the base fee would rise above what the next ones offer.
  const work = async () => {
    for (let row = waiting.shift(); row; row = waiting.shift()) made.set(needsOf(row), await makePaymaster(stack, row));
  };
  await Promise.all(Array.from({ length: PAYMASTERS_AT_ONCE }, work));
  return (row) => made.get(needsOf(row)) as RowPaymaster;
}

async function makePaymaster(stack: Stack, { settings, delegates, namesPolicy }: ClientRow): Promise<RowPaymaster> {
  const { url, apiKey } = await freshPaymaster(stack, { settings: null });
  await changeSettings(stack, apiKey, { ...SPONSORED_HERE, ...settings });
  if (!delegates && !namesPolicy) return { url, policyId: undefined };
  const body = rules(delegates ? { eip7702Delegates: delegates } : {});
  const policy = await dashboardOk(stack, { method: 'POST', path: '/paymaster-policy', apiKey, body });
  return { url, policyId: (policy as { policyId: string }).policyId };
}
