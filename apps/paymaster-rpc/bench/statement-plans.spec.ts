import { PlanLog, tablesOf, wideReads, type PlanNode } from './statement-plans';

const LARGE = new Set(['dashboard.paymasters', 'ledger.budgets']);

function scan(table: string, node: Partial<PlanNode> = {}): PlanNode {
  const [schema, name] = table.split('.');
  return {
    ...{ 'Node Type': 'Index Scan', Schema: schema, 'Relation Name': name, 'Actual Rows': 1, 'Actual Loops': 1 },
    ...node,
  };
}
const reads = (plan: PlanNode) => wideReads({ statement: 'SELECT', plan }, LARGE);

describe('wideReads', () => {
  it('names a sequential scan of a large table, also deep in a plan and in parallel', () => {
    const deep = scan('dashboard.paymasters', { 'Node Type': 'Parallel Seq Scan', 'Actual Rows': 0 });
    const plan = { 'Node Type': 'Gather', Plans: [{ 'Node Type': 'Limit', Plans: [deep] }] };
    expect(reads(plan)).toEqual([
      { statement: 'SELECT', table: 'dashboard.paymasters', by: 'Parallel Seq Scan', rows: 0 },
    ]);
  });

  it('names an index scan that reads much and keeps little', () => {
    const plan = scan('ledger.budgets', { 'Rows Removed by Filter': 5_000 });
    expect(reads(plan)).toMatchObject([{ by: 'Index Scan', rows: 5_001 }]);
  });

  it('counts what is read again and again', () => {
    expect(reads(scan('ledger.budgets', { 'Actual Rows': 10, 'Actual Loops': 500 }))).toMatchObject([{ rows: 5_000 }]);
  });

  it('is content with rows found by index, and with scans of small tables', () => {
    expect(reads(scan('ledger.budgets', { 'Actual Rows': 20 }))).toEqual([]);
    expect(reads(scan('ledger.cursors', { 'Node Type': 'Seq Scan' }))).toEqual([]);
  });

  it('does not count rows that are written', () => {
    expect(reads({ ...scan('ledger.budgets'), 'Node Type': 'ModifyTable', 'Actual Rows': 5_000 })).toEqual([]);
  });
});

describe('PlanLog', () => {
  const lines = (plan: PlanNode): string[] => [
    '2026-01-01 00:00:00.000 UTC [7] LOG:  duration: 0.050 ms  plan:',
    ...JSON.stringify({ 'Query Text': 'SELECT 1\nFROM x', Plan: plan }, null, 2)
      .split('\n')
      .map((line) => `\t${line}`),
    '2026-01-01 00:00:00.000 UTC [7] CONTEXT:  SQL statement "SELECT 1"',
    '\tFROM x',
  ];

  it('reads plans between other lines', () => {
    const log = new PlanLog();
    const plan = scan('ledger.budgets');
    for (const line of ['starting', ...lines(plan), ...lines(plan), 'LOG:  checkpoint complete']) log.take(line);
    const found = log.drain();
    expect(found).toEqual([
      { statement: 'SELECT 1\nFROM x', plan },
      { statement: 'SELECT 1\nFROM x', plan },
    ]);
    expect(found.map(tablesOf)).toEqual([['ledger.budgets'], ['ledger.budgets']]);
    expect(log.drain()).toEqual([]);
    expect(log.unreadable).toBe(0);
  });

  it('counts plans that another line cut in two', () => {
    const log = new PlanLog();
    const [head = '', ...rest] = lines(scan('ledger.budgets'));
    for (const line of [head, rest[0] ?? '', 'LOG:  checkpoint complete', ...rest.slice(1)]) log.take(line);
    expect(log.drain()).toEqual([]);
    expect(log.unreadable).toBe(1);
  });
});
