/** A node of a plan, as EXPLAIN (FORMAT JSON, ANALYZE, VERBOSE) has it. */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly Schema?: string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** A statement that ran, and how. */
export interface StatementPlan {
  readonly statement: string;
  readonly plan: PlanNode;
}

/** A table of which a statement read too much. */
export interface WideRead {
  readonly statement: string;
  readonly table: string;
  /** The kind of scan. */
  readonly by: string;
  /** Rows that were read for it, those that a filter dropped included. */
  readonly rows: number;
}

/** A statement of a request reads no more of a large table; more is a scan, whatever it calls itself. */
const MOST_ROWS = 1_000;

/** What plans read in one scan of large tables: whole ones, or more rows than a request needs. */
export function wideReads({ statement, plan }: StatementPlan, largeTables: ReadonlySet<string>): readonly WideRead[] {
  return nodesOf(plan).flatMap((node) => {
    const table = `${node.Schema}.${node['Relation Name']}`;
    if (!largeTables.has(table) || !node['Node Type'].endsWith('Scan')) return [];
    const perLoop = (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0);
    const rows = Math.round(perLoop * (node['Actual Loops'] ?? 1));
    const isWide = node['Node Type'].includes('Seq Scan') || rows > MOST_ROWS;
    return isWide ? [{ statement, table, by: node['Node Type'], rows }] : [];
  });
}

/** The tables that a plan touches. */
export function tablesOf({ plan }: StatementPlan): readonly string[] {
  return nodesOf(plan).flatMap((node) => (node['Relation Name'] ? [`${node.Schema}.${node['Relation Name']}`] : []));
}

function nodesOf(plan: PlanNode): readonly PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

/**
 * Collects what auto_explain writes to Postgres' log, line by line: a line that says that a plan follows, and the plan
 * as JSON in lines that start with a tab.
 */
export class PlanLog {
  readonly plans: StatementPlan[] = [];
  /** Plans that lines of others were mixed into: a pipe keeps only short messages together. */
  unreadable = 0;
  private text: string | undefined;

  readonly take = (line: string): void => {
    if (this.text !== undefined && line.startsWith('\t')) {
      this.text += line;
      return;
    }
    this.end();
    if (/LOG: {2}duration: .* plan:\s*$/.test(line)) this.text = '';
  };

  /** What was collected so far; the log is empty then. */
  drain(): readonly StatementPlan[] {
    this.end();
    return this.plans.splice(0);
  }

  private end(): void {
    const { text } = this;
    this.text = undefined;
    if (text === undefined) return;
    try {
      const { 'Query Text': statement, Plan: plan } = JSON.parse(text) as { 'Query Text': string; Plan: PlanNode };
      this.plans.push({ statement, plan });
    } catch {
      this.unreadable++;
    }
  }
}
