import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { ALERT_CASES, type AlertCase } from './alert-cases';
import { promtoolBinary } from './promtool';

const RULES = join(__dirname, '../../k8s/observability/alerts.yaml');
/** Else a fourth of what promtool computes is to collect its garbage. */
const LESS_COLLECTING = { ...process.env, GOGC: '800' };
const DASHBOARD = join(__dirname, '../../k8s/observability/grafana-dashboard.json');

interface Rule {
  readonly alert: string;
  readonly labels: Readonly<Record<string, string>>;
}
const { groups } = parse(readFileSync(RULES, 'utf8')) as { groups: { name: string; rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

let promtool: string;
let folder: string;
beforeAll(async () => {
  promtool = await promtoolBinary();
  folder = mkdtempSync(join(tmpdir(), 'paymaster-prometheus-'));
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Labels of all samples that are expected, each of value 1. */
type Expected = readonly Readonly<Record<string, string>>[];

interface Question {
  /** Each with its samples. */
  readonly series: readonly (readonly [name: string, values: string])[];
  readonly expression: string;
  /** By the time after which it is asked; in an hour where no time is named. */
  readonly expected: Expected | Readonly<Record<string, Expected>>;
  /** How often the engine evaluates; each minute by default. */
  readonly every?: string;
  /** The alerts that it asks about; all of them by default. The engine evaluates no other. */
  readonly alerts?: RegExp;
}

/** Lets Prometheus' own rule engine play them. @returns what is wrong; nothing where it says what is expected */
function play(...questions: Question[]): string {
  const files = questions.map(writeTest);
  const { status, stdout, stderr } = spawnSync(promtool, ['test', 'rules', ...files], {
    encoding: 'utf8',
    env: LESS_COLLECTING,
  });
  return status === 0 ? '' : `promtool ended with ${status}: ${stdout}${stderr}`;
}

/** @returns the file that asks it */
function writeTest({ series, expression, expected, every = '1m', alerts = /^/ }: Question, place: number): string {
  const asked = groups.map((group) => ({ ...group, rules: group.rules.filter(({ alert }) => alerts.test(alert)) }));
  const ruleFile = join(folder, `rules-${place}.yaml`);
  writeFileSync(ruleFile, stringify({ groups: asked }));
  const test = {
    interval: '1m',
    input_series: series.map(([name, values]) => ({ series: name, values })),
    promql_expr_test: Object.entries(Array.isArray(expected) ? { '1h': expected as Expected } : expected).map(
      ([after, labels]: [string, Expected]) => ({
        expr: expression,
        eval_time: after,
        exp_samples: labels.map((each) => ({ labels: `ALERTS${braced(each)}`, value: 1 })),
      }),
    ),
  };
  const file = join(folder, `test-${place}.yaml`);
  writeFileSync(file, stringify({ rule_files: [ruleFile], evaluation_interval: every, tests: [test] }));
  return file;
}

const braced = (labels: Readonly<Record<string, string>>): string =>
  `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(',')}}`;

/** The series of one environment. */
const of = (namespace: string, name: string): string => {
  const [, metric, labels] = /^(\w+)(?:\{(.*)\})?$/.exec(name) ?? [];
  return `${metric}{namespace="${namespace}"${labels ? `,${labels}` : ''}}`;
};

function seriesOf({ series }: AlertCase): [string, string][] {
  return Object.entries(series).flatMap(([name, [sick, well]]): [string, string][] => [
    ...(sick === null ? [] : ([[of('sick', name), sick]] as [string, string][])),
    [of('well', name), well],
  ]);
}

function expressionsOfDashboard(): string[] {
  const { panels } = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as { panels: { targets?: { expr: string }[] }[] };
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m')));
}

const firing = (alert: string): string => `ALERTS{alertname="${alert}",alertstate="firing"}`;
const firingAs = (alert: string, names: Readonly<Record<string, string>> = {}): Record<string, string> => {
  const { labels } = rules.find((rule) => rule.alert === alert) as Rule;
  return { alertname: alert, alertstate: 'firing', ...labels, ...names };
};

describe('Prometheus', () => {
  it('takes the rules', () => {
    const { status, stdout } = spawnSync(promtool, ['check', 'rules', RULES], { encoding: 'utf8' });
    expect({ status, said: stdout }).toEqual({
      status: 0,
      said: expect.stringContaining(`SUCCESS: ${rules.length} rules found`),
    });
  });

  it('takes every expression of the dashboard', () => {
    const panels = expressionsOfDashboard().map((expression, index) => ({
      record: `panel:${index}`,
      expr: expression,
    }));
    const file = join(folder, 'panels.yaml');
    writeFileSync(file, stringify({ groups: [{ name: 'panels', rules: panels }] }));
    const { status, stdout, stderr } = spawnSync(promtool, ['check', 'rules', file], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain(`SUCCESS: ${panels.length} rules found`);
  });

  describe('of a sick environment and one that is well', () => {
    const questionOf = ({ alert, names, after = '1h', ...rest }: AlertCase): Question => ({
      series: seriesOf({ alert, ...rest }),
      expression: firing(alert),
      alerts: new RegExp(`^${alert}$`),
      expected: { [after]: [firingAs(alert, { namespace: 'sick', ...names })] },
    });
    /** One run for all, because promtool takes long to start; it does not name the question that it answers otherwise. */
    let wrongTogether: string;
    beforeAll(() => (wrongTogether = play(...ALERT_CASES.map(questionOf))));

    it.each(
      ALERT_CASES.map((each) => [each.because ? `${each.alert}, since ${each.because}` : each.alert, each] as const),
    )('gives %s for the sick one only', (_title, each) => {
      expect(wrongTogether && play(questionOf(each))).toBe('');
    });
  });

  it('gives no alert where all is well', () => {
    const well = new Map(ALERT_CASES.flatMap(({ series }) => Object.entries(series).map(([name, [, value]]) => [of('well', name), value]))); // prettier-ignore
    expect(play({ series: [...well], expression: 'ALERTS', expected: { '4h': [] } })).toBe('');
  });

  const EVERYTHING = ['NoGateway', 'NoDashboard', 'ChainWithoutLeader'];
  const SOMETHING = {
    expression: 'ALERTS{alertstate="firing",alertname=~"No.*|ChainWithoutLeader"}',
    alerts: /^(No.*|ChainWithoutLeader)$/,
  };

  it('says of an environment that is gone that nothing of it is there, for a day', () => {
    const apps = ['paymaster_ready', 'paymaster_rpc_in_flight', 'paymaster_policy_changes_untold', 'settlement_leader'];
    const series = apps.flatMap((metric): [string, string][] => [
      // Half an hour, and then it is not there any more.
      [of('sick', metric), '1+0x30 stale'],
      [of('well', metric), '1+0x2000'],
    ]);
    const expected = EVERYTHING.map((alert) => firingAs(alert, { namespace: 'sick' }));
    expect(play({ series, ...SOMETHING, expected: { '23h': expected, '26h': [] }, every: '5m' })).toBe('');
  });

  it('says so too where nothing was ever there', () => {
    const expected = EVERYTHING.map((alert) => firingAs(alert));
    expect(play({ series: [], ...SOMETHING, expected })).toBe('');
  });
});

it('every alert has a case', () => {
  const cases = new Set(ALERT_CASES.map(({ alert }) => alert));
  expect(rules.map(({ alert }) => alert).filter((alert) => !cases.has(alert))).toEqual([]);
});
