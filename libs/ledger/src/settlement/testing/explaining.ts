import type { Queries } from '../database';

/** A table that grows, read from one end to the other, and the statement that does it. */
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

/** One row per chain; and an index that has only what is read. */
const SMALL = new Set(['cursors', 'leases', 'outbox_unpublished']);

/** Runs statements, and asks for the plan of each before. */
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
