import type { Queries } from '../database';

/** A growing table that a statement reads as a whole, and that statement. */
export interface WholeScan {
  readonly table: string;
  readonly statement: string;
}

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly Plan[];
}

interface Explained {
  readonly queries: Queries;
  readonly scans: readonly WholeScan[];
  readonly statements: readonly string[];
}

/** Exceptions: tables with one row per chain, and an index that contains only the rows to be read. */
const SMALL = new Set(['cursors', 'leases', 'outbox_unpublished']);

/** Runs statements, and first asks Postgres for the plan of each. */
export function explaining(queries: Queries): Explained {
  const scans: WholeScan[] = [];
  const statements: string[] = [];
  const query = async (statement: string, values: unknown[] = []) => {
    statements.push(statement);
    const { rows } = await queries.query(`EXPLAIN (FORMAT JSON) ${statement}`, values);
    for (const table of wholeScans(rows[0]['QUERY PLAN'][0].Plan)) scans.push({ table, statement });
    return queries.query(statement, values);
  };
  return { queries: { query } as unknown as Queries, scans, statements };
}

function wholeScans(plan: Plan): readonly string[] {
  const table = plan['Relation Name'] ?? '';
  const isWhole = plan['Node Type'] === 'Seq Scan' || (plan['Node Type'].startsWith('Index') && !plan['Index Cond']);
  const isSmall = SMALL.has(table) || SMALL.has(plan['Index Name'] ?? '');
  return [...(isWhole && !isSmall ? [table] : []), ...(plan.Plans ?? []).flatMap(wholeScans)];
}
