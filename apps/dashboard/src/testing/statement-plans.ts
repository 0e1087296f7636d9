import type { DataSource } from 'typeorm';

/** A node of a plan, as EXPLAIN (ANALYZE, FORMAT JSON) has it. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Tables that grow with what clients send. */
const LARGE = /^(operations|operation_targets|audit_log|usage_parts|account_events)$/;

/** The plans of all reads of large tables that are made while `work` runs. */
export async function plansOf(
  database: DataSource,
  work: () => Promise<unknown>,
  tables = LARGE,
): Promise<readonly PlanNode[]> {
  const asked: [string, unknown[] | undefined][] = [];
  const createQueryRunner = database.createQueryRunner.bind(database);
  database.createQueryRunner = (mode) => {
    const runner = createQueryRunner(mode);
    const query = runner.query.bind(runner);
    runner.query = ((sql: string, values?: unknown[], ...more: []) => {
      asked.push([sql, values]);
      return query(sql, values, ...more);
    }) as typeof runner.query;
    return runner;
  };
  try {
    await work();
  } finally {
    database.createQueryRunner = createQueryRunner;
  }
  const plans = await Promise.all(
    asked
      .filter(([sql]) => /^\s*(SELECT|WITH)/.test(sql))
      .map(async ([sql, values]) => {
        const [row] = (await database.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`, values)) as {
          'QUERY PLAN': [{ Plan: PlanNode }];
        }[];
        return row?.['QUERY PLAN'][0].Plan;
      }),
  );
  return plans.filter((plan) => plan !== undefined).filter((plan) => nodesOf(plan).some((node) => isOf(node, tables)));
}

/** What a plan reads of large tables in one scan: whole tables, or more than `most` rows. */
export function wideReads(plan: PlanNode, most: number, tables = LARGE): readonly string[] {
  return nodesOf(plan)
    .filter((node) => isOf(node, tables) && node['Node Type'].endsWith('Scan'))
    .flatMap((node) => {
      const perLoop = (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0);
      const rows = perLoop * (node['Actual Loops'] ?? 1);
      const isWide = node['Node Type'] === 'Seq Scan' || rows > most;
      return isWide ? [`${node['Node Type']} of ${rows} rows of ${node['Relation Name']}`] : [];
    });
}

function isOf(node: PlanNode, tables: RegExp): boolean {
  return tables.test(node['Relation Name'] ?? '');
}

function nodesOf(plan: PlanNode): readonly PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}
