import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { namesIn } from './promql';
import { registeredMetrics, type RegisteredMetric } from './registered-metrics';

const ROOT = join(__dirname, '../..');
const RUNBOOKS = 'docs/operations/runbooks';
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Rule {
  alert: string;
  expr: string;
  for: string;
  labels: { severity: string };
  annotations: { summary: string; runbook_url: string };
}
interface Panel {
  title: string;
  targets?: { expr: string; legendFormat: string }[];
}

const rules = (parse(read('k8s/observability/alerts.yaml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);
const { panels, templating } = JSON.parse(read('k8s/observability/grafana-dashboard.json')) as {
  panels: Panel[];
  templating: { list: { name: string }[] };
};
const targets = panels.flatMap(({ title, targets: drawn = [] }) => drawn.map((each) => ({ title, ...each })));

/** Labels that Prometheus adds to whatever it scrapes, and that of buckets. */
const SCRAPED = ['instance', 'job', 'namespace', 'le'];
const ofHistogram = (name: string) => name.replace(/_(bucket|sum|count)$/, '');
let known: ReadonlyMap<string, RegisteredMetric>;

beforeAll(async () => {
  known = await registeredMetrics();
});

/** One sentence for each name of an expression that no app registers. */
function problemsOf(expression: string, legend = ''): string[] {
  const { selectors, grouping } = namesIn(expression);
  const metricOf = (name: string) => known.get(name) ?? histogramOf(name);
  const labels = new Set([...SCRAPED, ...selectors.flatMap(({ metric }) => metricOf(metric)?.labels ?? [])]);
  const shown = [...legend.matchAll(/\{\{(?: \$labels\.)?\s*([a-z_]+)\s*\}\}/g)].map(([, label = '']) => label);
  return [
    ...(selectors.length === 0 ? ['reads no metric'] : []),
    ...selectors.flatMap(({ metric, labels: picked }) => {
      const found = metricOf(metric);
      if (!found) return [`${metric} is no metric`];
      return picked
        .filter((label) => ![...found.labels, ...SCRAPED].includes(label))
        .map((label) => `${metric} has no label ${label}`);
    }),
    ...[...grouping, ...shown].filter((label) => !labels.has(label)).map((label) => `nothing has the label ${label}`),
  ];
}

function histogramOf(name: string): RegisteredMetric | undefined {
  const found = known.get(ofHistogram(name));
  return found?.type === 'histogram' ? found : undefined;
}

describe('alert rules', () => {
  it.each(rules.map((rule) => [rule.alert, rule] as const))('%s reads what the apps register', (_name, rule) => {
    expect(problemsOf(rule.expr, rule.annotations.summary)).toEqual([]);
    expect(['critical', 'warning']).toContain(rule.labels.severity);
    expect(rule.for).toMatch(/^\d+[smh]$/);
  });

  it('each have a page, and each page has an alert', () => {
    const pages = rules.map(({ annotations }) => annotations.runbook_url);
    const files = readdirSync(join(ROOT, RUNBOOKS)).filter((file) => file !== 'README.md');
    expect(pages.sort()).toEqual(files.map((file) => `${RUNBOOKS}/${file}`).sort());
    for (const { alert, annotations } of rules) {
      const page = read(annotations.runbook_url);
      expect(page.split('\n')[0]).toBe(`# ${alert}`);
      for (const part of ['## What it means', '## How to see it', '## What to do']) expect(page).toContain(part);
      expect(read(`${RUNBOOKS}/README.md`)).toContain(`[${alert}](`);
    }
  });

  it('are what the Prometheus Operator is given', () => {
    const rule = parse(read('k8s/observability/prometheus-rule.yaml')) as { spec: unknown };
    // When this fails: node tools/observability/prometheus-rule.mjs --write
    expect(rule.spec).toEqual(parse(read('k8s/observability/alerts.yaml')));
  });

  it('have names of their own', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  });
});

describe('docs/operations/degraded-modes.md', () => {
  const [, works = '', tells = ''] =
    /## What works when what is down\n([^]*?)\n## Which alerts fire\n([^]*?)\n## /.exec(
      read('docs/operations/degraded-modes.md'),
    ) ?? [];
  const rowsOf = (text: string) =>
    text
      .split('\n')
      .filter((line) => line.startsWith('| ') && !line.startsWith('| down'))
      .map((line) => line.split('|').map((cell) => cell.trim()));

  it('says of each part that can be down which alert tells it', () => {
    expect(rowsOf(tells).map(([, part]) => part)).toEqual(rowsOf(works).map(([, part]) => part));
    const known = rules.map(({ alert }) => alert);
    for (const [, part, alerts = ''] of rowsOf(tells)) {
      const named = alerts.match(/\w+/g) ?? [];
      expect({ part, named: named.filter((name) => known.includes(name)).length > 0 }).toEqual({ part, named: true });
    }
  });

  it('names only alerts that there are', () => {
    const named = tells.match(/\b[A-Z][a-z]+[A-Z]\w+\b/g) ?? [];
    const known = [...rules.map(({ alert }) => alert), 'JetStream', 'EntryPoint'];
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
  });
});

describe('the Grafana dashboard', () => {
  it.each(targets.map((target) => [target.title, target.expr, target.legendFormat]))(
    '%s reads what the apps register: %s',
    (_title, expression, legend) => {
      const drawn = expression.replaceAll('$__rate_interval', '5m');
      expect(problemsOf(drawn, legend)).toEqual([]);
    },
  );

  it('lets an operator of several installations choose, and shows nothing of others', () => {
    expect(templating.list).toContainEqual(expect.objectContaining({ name: 'namespace', allValue: '.*' }));
    const unchosen = targets.flatMap(({ expr }) =>
      namesIn(expr).selectors.filter(({ labels }) => labels[0] !== 'namespace'),
    );
    expect(unchosen).toEqual([]);
  });

  it('shows every metric of ours that an operator has to see', () => {
    const shown = new Set(
      targets.flatMap(({ expr }) => namesIn(expr).selectors.map(({ metric }) => ofHistogram(metric))),
    );
    const alerted = rules.flatMap(({ expr }) => namesIn(expr).selectors.map(({ metric }) => ofHistogram(metric)));
    expect(alerted.filter((metric) => !shown.has(metric))).toEqual([]);
  });
});

describe('the check', () => {
  it.each([
    ['sum(rate(paymaster_rpc_request_total[5m]))', ['paymaster_rpc_request_total is no metric']],
    ['sum by (chains) (settlement_leader)', ['nothing has the label chains']],
    ['paymaster_signer_up{name="kms"} == 0', ['paymaster_signer_up has no label name']],
    ['rate(paymaster_ready_count[5m])', ['paymaster_ready_count is no metric']],
    ['up == 0', ['reads no metric']],
  ])('finds what is wrong with %s', (expression, problems) => {
    expect(problemsOf(expression)).toEqual(problems);
  });

  it.each(['sum(rate(paymaster_ready[5m])', 'sum(paymaster_ready]', 'paymaster_ready{instance="a} == 0'])(
    'refuses what does not close: %s',
    (expression) => {
      expect(() => namesIn(expression)).toThrow();
    },
  );
});
