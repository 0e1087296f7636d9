import { validate } from 'dockerfile-utils';
import { parseDockerfile, stepsOf, type Stage } from './dockerfile';
import { environmentProblems, variablesOf } from './environment';

/** What may be wrong with one Dockerfile of an app; each rule gives sentences, none when it holds. */
type Rule = (file: { app: string; stages: readonly Stage[]; last: Stage }) => string[];

const PINNED = /^[a-z0-9./-]+:(?!latest@)[\w.-]+@sha256:[0-9a-f]{64}$/;
const SECRET_NAME = /PASSWORD|PASSPHRASE|SECRET|TOKEN|CREDENTIAL|MNEMONIC|(^|_)(KEY|AUTH|DATABASE_URL)(_|$)/;
const SECRET_VALUE = /[0-9a-f]{64}|:\/\/[^/\s]*:[^/\s]*@|BEGIN [A-Z ]*KEY/i;
/** The lowest user id of an image: below, a user of the host may have the same one. */
const LOWEST_UID = 10_000;
const LABELS = ['title', 'description', 'licenses', 'version', 'revision'];
/** What Node itself reads, beside what the app's configuration class knows. */
const OF_NODE = ['NODE_ENV', 'NODE_OPTIONS'];

const RULES: readonly Rule[] = [
  pinnedBases,
  oneBase,
  noSecrets,
  lockedPackages,
  nothingFromTheNetwork,
  productionPackages,
  nativePackages,
  onlyWhatRuns,
  numericUser,
  startsNode,
  hasHealthcheck,
  privateMonitorPort,
  knownVariables,
  ociLabels,
];

/**
 * Everything that is wrong with the Dockerfile of an app; empty when nothing is.
 *
 * @param app its name, as in `.env.example`
 */
export function dockerfileProblems(app: string, text: string): string[] {
  const syntax = validate(text).map(({ message, range }) => `line ${range.start.line + 1}: ${message}`);
  const stages = parseDockerfile(text);
  const last = stages.at(-1);
  if (!last) return [...syntax, 'there is no FROM'];
  return [...syntax, ...RULES.flatMap((rule) => rule({ app, stages, last }))];
}

/** Images that are not a stage of the same file. */
function basesOf(stages: readonly Stage[]): string[] {
  const names = stages.map(({ name }) => name);
  return stages.map(({ from }) => from).filter((from) => !names.includes(from));
}

function pinnedBases({ stages }: Parameters<Rule>[0]): string[] {
  return basesOf(stages)
    .filter((from) => !PINNED.test(from))
    .map((from) => `FROM ${from} is not pinned: name:version@sha256:digest is`);
}

/** Builds have the full image, for its compiler; what runs has the slim one of the same Node and the same system. */
function oneBase({ stages, last }: Parameters<Rule>[0]): string[] {
  const bases = [...new Set(basesOf(stages).map((from) => from.replace(/(-slim)?@.*/, '')))];
  return [
    ...(bases.length > 1 ? [`packages are installed for one base and run on another: ${bases.join(', ')}`] : []),
    ...(last.from.includes('-slim@') ? [] : ['the last stage has the compilers of the full image']),
  ];
}

function noSecrets({ stages }: Parameters<Rule>[0]): string[] {
  const named = stages.flatMap((stage) => [
    ...[...stepsOf(stage, 'ENV'), ...stepsOf(stage, 'LABEL'), ...stepsOf(stage, 'ARG')].flatMap(({ values }) =>
      Object.entries(values),
    ),
  ]);
  return named
    .filter(([name, value]) => SECRET_NAME.test(name.toUpperCase()) || SECRET_VALUE.test(value))
    .map(([name]) => `${name} looks like a secret, and whatever an image holds can be read by whoever has the image`);
}

/** `npm ci` alone, after the lock and before any source: the layer is made again only when the lock changes. */
function lockedPackages({ stages }: Parameters<Rule>[0]): string[] {
  return stages.flatMap((stage) => {
    const installs = stepsOf(stage, 'RUN').filter(({ text }) => /\bnpm (ci|i|install|add)\b/.test(text));
    return installs.flatMap(({ line, text: command }) => {
      const copied = stepsOf(stage, 'COPY').flatMap((each) => (each.line < line ? each.sources : []));
      const more = copied.filter((path) => !/(^|\/)(package(-lock)?\.json|\.npmrc)$/.test(path));
      return [
        ...(/\bnpm ci\b/.test(command)
          ? []
          : [`line ${line}: npm ci installs what the lock says, npm install may not`]),
        ...(command.includes('--ignore-scripts')
          ? []
          : [`line ${line}: packages run scripts: --ignore-scripts is missing`]),
        ...more.map((path) => `line ${line}: packages are installed again whenever ${path} changes`),
      ];
    });
  });
}

function nothingFromTheNetwork({ stages }: Parameters<Rule>[0]): string[] {
  const added = stages
    .flatMap((stage) => stepsOf(stage, 'ADD'))
    .map(({ line }) => `line ${line}: ADD takes more than files of the build: COPY does not`);
  const loaded = stages
    .flatMap((stage) => stepsOf(stage, 'RUN'))
    .filter(({ text }) => /https?:\/\/|\b(curl|wget|apt-get|apt|apk)\b/.test(text))
    .map(({ line }) => `line ${line}: RUN brings in what no lock and no digest names`);
  return [...added, ...loaded];
}

function productionPackages({ stages, last }: Parameters<Rule>[0]): string[] {
  const copies = stepsOf(last, 'COPY').filter(({ sources }) => sources.some((path) => path.endsWith('node_modules')));
  if (copies.length === 0) return ['the last stage has no node_modules'];
  return copies.flatMap(({ line, from }) => {
    const source = stages.find(({ name }) => name === from);
    const installs = source ? stepsOf(source, 'RUN').filter(({ text }) => text.includes('npm ci')) : [];
    const production = installs.length > 0 && installs.every(({ text }) => text.includes('--omit=dev'));
    return production ? [] : [`line ${line}: node_modules of the last stage do not come from npm ci --omit=dev`];
  });
}

/** Only the gateway has secp256k1, which has binaries for few platforms: linux/arm64 is none of them. */
function nativePackages({ app, stages }: Parameters<Rule>[0]): string[] {
  if (app !== 'paymaster-rpc') return [];
  const commands = stages.flatMap((stage) => stepsOf(stage, 'RUN')).map(({ text }) => text);
  const compiled = commands.some((command) =>
    /npm_package_config_node_gyp_nodedir=\/usr\/local npm rebuild secp256k1 && node -e "require\('secp256k1\/bindings'\)"/.test(
      command,
    ),
  );
  return compiled ? [] : ['secp256k1 is not compiled where it has no binary, or nobody looks whether it loads'];
}

function onlyWhatRuns({ last }: Parameters<Rule>[0]): string[] {
  const sources = stepsOf(last, 'COPY')
    .filter(({ from }) => from === undefined)
    .flatMap((each) => each.sources)
    .filter((path) => path !== 'docker/healthcheck.mjs');
  const commands = stepsOf(last, 'RUN').filter(({ text }) => !/^rm -rf( \/[\w./*-]+)+$/.test(text));
  const removed = stepsOf(last, 'RUN')
    .map(({ text }) => text)
    .join(' ');
  return [
    ...sources.map((path) => `${path} of the sources is in the last stage`),
    ...commands.map(({ line }) => `line ${line}: the last stage runs more than the removal of files`),
    ...['/usr/local/lib/node_modules', '/usr/local/bin/npm', '/usr/local/bin/npx']
      .filter((path) => !removed.split(' ').includes(path))
      .map((path) => `${path} of the base stays in the last stage`),
  ];
}

function numericUser({ last }: Parameters<Rule>[0]): string[] {
  const users = stepsOf(last, 'USER');
  const [only] = users;
  if (!only || users.length > 1) return ['the last stage must name its user once'];
  const [, uid, gid] = /^(\d+):(\d+)$/.exec(only.text) ?? [];
  const high = Number(uid) >= LOWEST_UID && Number(gid) >= LOWEST_UID;
  return high ? [] : [`USER ${only.text} is not two numbers from ${LOWEST_UID} on, such as 10001:10001`];
}

function startsNode({ last }: Parameters<Rule>[0]): string[] {
  const commands = stepsOf(last, 'CMD');
  if (commands.length !== 1) return ['the last stage must have one CMD'];
  if (commands[0]?.command.length === 0) return ['CMD is not a command in JSON'];
  return commands[0]?.command[0] === 'node' ? [] : ['CMD must start node itself, which then gets the signals'];
}

function hasHealthcheck({ last }: Parameters<Rule>[0]): string[] {
  const [check] = stepsOf(last, 'HEALTHCHECK');
  if (!check) return ['the last stage has no HEALTHCHECK'];
  return check.command.length > 0 ? [] : ['HEALTHCHECK is not a command in JSON'];
}

/** Where an app has a port for probes and metrics, the other one is published; where it has one port, that is it. */
function privateMonitorPort({ app, last }: Parameters<Rule>[0]): string[] {
  const { PORT, MONITOR_PORT } = environmentOf(last);
  const hasBoth = variablesOf(app).all.includes('MONITOR_PORT');
  const published = hasBoth ? PORT : undefined;
  const exposed = stepsOf(last, 'EXPOSE').flatMap(({ text }) => text.split(' '));
  return [
    ...(hasBoth && !MONITOR_PORT ? ['MONITOR_PORT is not set: probes and metrics would be on the public port'] : []),
    ...(published && !exposed.includes(published) ? [`EXPOSE does not name PORT ${published}`] : []),
    ...exposed
      .filter((port) => port !== published)
      .map((port) => `EXPOSE ${port}: ${port === MONITOR_PORT ? 'MONITOR_PORT' : 'it'} is to be published nowhere`),
  ];
}

function knownVariables({ app, last }: Parameters<Rule>[0]): string[] {
  const names = Object.keys(environmentOf(last)).filter((name) => !OF_NODE.includes(name));
  const { required } = variablesOf(app);
  return environmentProblems(app, [...names, ...required]);
}

function ociLabels({ last }: Parameters<Rule>[0]): string[] {
  const labels = stepsOf(last, 'LABEL').flatMap(({ values }) => Object.keys(values));
  return LABELS.map((name) => `org.opencontainers.image.${name}`)
    .filter((name) => !labels.includes(name))
    .map((name) => `the label ${name} is missing`);
}

function environmentOf(stage: Stage): Record<string, string | undefined> {
  return Object.assign({}, ...stepsOf(stage, 'ENV').map(({ values }) => values)) as Record<string, string>;
}
