const FORMAT = 1;
const VERDICTS = ['passed', 'failed', 'not tried'];

/** What two runs are compared by, and everything that a person may want to know. */
export function reportOf({ target, session, found }) {
  const { chainId, versions } = session;
  const checks = found.map((check) => ({ ...check, outcomes: mapped(check.outcomes, withoutIds) }));
  const verdicts = checks.flatMap(({ outcomes }) => Object.values(outcomes).map(({ verdict }) => verdict));
  const counts = Object.fromEntries(
    VERDICTS.map((name) => [name, verdicts.filter((verdict) => verdict === name).length]),
  );
  const report = { format: FORMAT, target, chainId, entryPoints: versions, counts, checks };
  const shown = (_, value) => (typeof value === 'string' ? redacted(value, session.secrets) : value);
  return JSON.parse(JSON.stringify(report, shown));
}

const mapped = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));

/** Addresses, hashes and ids are of one run only. */
const withoutIds = ({ came, ...others }) => ({
  ...others,
  came: came.replace(/0x[0-9a-fA-F]{12,}/g, '0x…').replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '…'),
});

/** No key and no address that may hold one leaves the kit. */
export function redacted(text, secrets) {
  const longestFirst = [...new Set(secrets)].filter(Boolean).sort((a, b) => b.length - a.length);
  return longestFirst.reduce((rest, secret) => rest.replaceAll(secret, '<redacted>'), text);
}

/** The service's name in a report: its host without what stands in front of the domain, which may be a key. */
export function nameOf(url) {
  const { hostname } = new URL(url);
  return /^[\d.]+$|:/.test(hostname) ? hostname : hostname.split('.').slice(-2).join('.');
}

export function markdownOf({ target, chainId, entryPoints, counts, checks }) {
  return [
    `**${target}**, chain ${chainId}, EntryPoint ${onVersions(entryPoints)}: ` +
      `**${counts.passed} passed, ${counts.failed} failed, ${counts['not tried']} not tried.**`,
    '',
    'A check is counted once for each EntryPoint version that it is tried on.',
    ...listed('What failed', checks, 'failed'),
    ...listed('What was not tried', checks, 'not tried'),
    ...[...new Set(checks.map(({ area }) => area))].flatMap((area) => tableOf(area, checks)),
    '',
  ].join('\n');
}

const onVersions = (versions) => versions.map((version) => (version === 'all' ? 'all' : `v${version}`)).join(', ');

function listed(title, checks, verdict) {
  const items = checks.flatMap(({ id, title: what, why, outcomes }) => {
    const these = Object.fromEntries(Object.entries(outcomes).filter(([, outcome]) => outcome.verdict === verdict));
    if (Object.keys(these).length === 0) return [];
    return [
      `- \`${id}\`: ${what}. ${cell(grouped(these, 'came'))}.${verdict === 'failed' ? ` Why it matters: ${why}` : ''}`,
    ];
  });
  return items.length === 0 ? [] : ['', `### ${title}`, '', ...items];
}

function tableOf(area, checks) {
  const lines = checks
    .filter((check) => check.area === area)
    .map(({ id, title, why, source, sent, outcomes }) => {
      const verdict = grouped(outcomes, 'verdict', onVersions(Object.keys(outcomes)));
      const cells = [`\`${id}\``, verdict, `${title}. ${why}`, source, sent, grouped(outcomes, 'came')];
      return `| ${cells.map(cell).join(' | ')} |`;
    });
  const head = '| check | verdict | what has to hold, and why | who says so | what was sent | what came |';
  return ['', `### ${area}`, '', head, '| --- | --- | --- | --- | --- | --- |', ...lines];
}

/** One text for all versions, or the versions in front of each. */
function grouped(outcomes, name, ofAll = 'all') {
  const texts = new Map();
  for (const [version, outcome] of Object.entries(outcomes)) {
    texts.set(outcome[name], [...(texts.get(outcome[name]) ?? []), version]);
  }
  const [first] = texts.keys();
  if (texts.size === 1) return ofAll === 'all' ? first : `${first} (${ofAll})`;
  return [...texts].map(([text, versions]) => `${onVersions(versions)}: ${text}`).join('; ');
}

const cell = (text) => text.replace(/\s+/g, ' ').replace(/\|/g, '\\|').replace(/</g, '&lt;');

/** What differs between two reports, a line for each; nothing when they agree. */
export function differences(before, after) {
  const outcomesOf = ({ id, outcomes }) =>
    Object.entries(outcomes).map(([version, outcome]) => [version === 'all' ? id : `${id} on v${version}`, outcome]);
  const [old, now] = [before, after].map(({ checks }) => new Map(checks.flatMap(outcomesOf)));
  const lines = [];
  for (const [key, { verdict, kind, came }] of now) {
    const then = old.get(key);
    if (!then) lines.push(`new: ${key}: ${verdict}`);
    else if (then.verdict !== verdict) lines.push(`${key}: ${then.verdict} before, ${verdict} now: ${came}`);
    else if (then.kind !== kind)
      lines.push(`${key}: ${verdict} as before, but the answer differs: "${then.kind}" before, "${kind}" now`);
  }
  for (const key of old.keys()) if (!now.has(key)) lines.push(`gone: ${key}`);
  return lines;
}
