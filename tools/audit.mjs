#!/usr/bin/env node
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readArguments } from './lib/arguments.mjs';
import { main, ROOT } from './lib/run.mjs';
import { say } from './lib/steps.mjs';

const HELP = `Usage: npm run audit [-- --only PART]

Looks at what production installs, and ends with 0 when all is well, 1 when something is not, and 2 when the registry
could not be asked.

  advisories  known weaknesses of severity high and critical (asks the registry)
  licences    every package has a licence of tools/audit/allow-list.json; writes dist/audit/licences.md
  sbom        writes dist/audit/<app>.cdx.json (CycloneDX) for each built app, complete against its lock

An advisory that cannot be fixed yet is allowed in tools/audit/allow-list.json, with a reason and a last day:
  { "id": "GHSA-...", "reason": "...", "until": "2026-12-31" }

  --only PART  only this part
  --help       this text
`;

const SEVERE = ['high', 'critical'];
const APPS = ['dashboard', 'paymaster-rpc', 'settlement'];
const OUTPUT = join(ROOT, 'dist/audit');
const PARTS = { advisories, licences, sbom };

main(async () => {
  const { only } = readArguments(HELP, { only: { type: 'string' } });
  if (only !== undefined && !(only in PARTS)) {
    process.stderr.write(`--only must be one of ${Object.keys(PARTS).join(', ')}\n`);
    return 2;
  }
  mkdirSync(OUTPUT, { recursive: true });
  const allowed = readJson(join(ROOT, 'tools/audit/allow-list.json'));
  const codes = (only ? [only] : Object.keys(PARTS)).map((part) => PARTS[part](allowed));
  return codes.includes(1) ? 1 : Math.max(...codes);
});

/** @returns 0 for none that is not allowed, 1 for some, 2 when nobody can say */
function advisories({ advisories: exceptions }) {
  const { stdout } = npm(['audit', '--omit=dev', '--json']);
  const report = parsed(stdout);
  if (report?.vulnerabilities === undefined) {
    say(`?     advisories: the registry did not answer: ${report?.message ?? 'no report'}`);
    return 2;
  }
  const today = new Date().toISOString().slice(0, 10);
  const inForce = exceptions.filter(({ until, reason }) => reason && until >= today).map(({ id }) => id);
  const found = new Map();
  for (const { via } of Object.values(report.vulnerabilities))
    for (const advisory of via)
      if (typeof advisory === 'object' && SEVERE.includes(advisory.severity))
        found.set(advisory.url.split('/').at(-1), `${advisory.severity} in ${advisory.name}: ${advisory.title}`);
  const open = [...found].filter(([id]) => !inForce.includes(id));
  for (const [id, sentence] of open) say(`FAIL  advisory ${id}, ${sentence}`);
  if (open.length === 0) say(`ok    advisories: ${found.size} of severity high or critical, all allowed`);
  return open.length === 0 ? 0 : 1;
}

function licences({ licences: accepted }) {
  const packages = productionPackages(readJson(join(ROOT, 'package-lock.json')));
  const bad = packages.filter(({ licence }) => !isAccepted(licence, accepted));
  for (const { name, version, licence } of bad)
    say(`FAIL  licence of ${name} ${version}: ${licence ?? 'none is named'}`);
  const rows = packages.map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`);
  const table = [
    '# Licences of what production installs',
    '',
    '| package | version | licence |',
    '|---|---|---|',
    ...rows,
  ];
  writeFileSync(join(OUTPUT, 'licences.md'), `${table.join('\n')}\n`);
  if (bad.length === 0) say(`ok    licences: ${packages.length} packages`);
  return bad.length === 0 ? 0 : 1;
}

function sbom() {
  let code = 0;
  for (const app of APPS) {
    const folder = join(ROOT, 'dist/apps', app);
    if (!existsSync(join(folder, 'package-lock.json'))) {
      say(`FAIL  sbom of ${app}: it is not built; run \`npm run build\``);
      code = 1;
      continue;
    }
    const options = ['--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only', '--omit=dev'];
    const text = withVersion(app, npm(['sbom', ...options], folder).stdout);
    const document = parsed(text);
    const listed = new Set(
      (document?.components ?? []).map(({ purl }) => decodeURIComponent(purl ?? '').split('?')[0]),
    );
    const missing = productionPackages(readJson(join(folder, 'package-lock.json')))
      .filter(({ isOptional }) => !isOptional)
      .map(({ name, version }) => `pkg:npm/${name}@${version}`)
      .filter((purl) => !listed.has(purl));
    if (!document || missing.length > 0) {
      say(`FAIL  sbom of ${app}: ${document ? `without ${missing.join(', ')}` : 'npm made none'}`);
      code = 1;
      continue;
    }
    writeFileSync(join(OUTPUT, `${app}.cdx.json`), text);
    say(`ok    sbom of ${app} ${document.metadata.component.version}: ${listed.size} components`);
  }
  return code;
}

/** The bill of an app that says the version of its image: the build gives every app the same one. */
function withVersion(app, text) {
  const document = parsed(text);
  const built = document?.metadata?.component?.version;
  if (!built) return text;
  const { version } = readJson(join(ROOT, 'package.json'));
  document.metadata.component.version = version;
  return JSON.stringify(document, null, 2).replaceAll(`${app}@${built}`, `${app}@${version}`);
}

/** Each name and version of a lock file once, without what is for development. */
function productionPackages({ packages }) {
  const all = Object.entries(packages)
    .filter(([path, { dev, link }]) => path !== '' && !dev && !link)
    .map(([path, { name, version, license, optional, devOptional }]) => ({
      name: name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version,
      licence: license,
      isOptional: optional === true || devOptional === true,
    }));
  return [...new Map(all.map((each) => [`${each.name}@${each.version}`, each])).values()];
}

/** An SPDX expression without nesting: one of what OR joins, all of what AND joins. */
function isAccepted(licence, accepted) {
  if (typeof licence !== 'string') return false;
  const plain = licence.replace(/^\(|\)$/g, '');
  return plain.split(' OR ').some((choice) => choice.split(' AND ').every((id) => accepted.includes(id)));
}

function npm(args, cwd = ROOT) {
  return spawnSync('npm', args, { cwd, encoding: 'utf8', maxBuffer: 64 * 1_048_576, timeout: 120_000 });
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
