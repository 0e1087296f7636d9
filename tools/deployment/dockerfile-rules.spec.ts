import { dockerfileProblems } from './dockerfile-rules';
import { read } from './environment';

const GOOD = read('docker/paymaster-rpc.Dockerfile');
const BASE = /node:[\w.-]+@sha256:[0-9a-f]{64}/;

/** What is done to a good file, and what must be said about it. */
const BROKEN: ReadonlyArray<[broken: string, from: string | RegExp, to: string, said: RegExp]> = [
  ['an instruction that does not exist', 'RUN npm ci', 'RUNN npm ci', /Unknown instruction/],
  ['a base without a digest', BASE, 'node:20-bookworm-slim', /not pinned/],
  ['a base that is the latest', BASE, `node:latest@sha256:${'a'.repeat(64)}`, /not pinned/],
  ['a base from a variable', BASE, '$NODE_IMAGE', /not pinned/],
  [
    'another base at the end',
    new RegExp(`${BASE.source}(?![\\s\\S]*FROM)`),
    `node:22@sha256:${'a'.repeat(64)}`,
    /run on another/,
  ],
  ['a compiler in the image', /node:[\w.-]+-slim@/, 'node:24.21.0-bookworm@', /compilers of the full image/],
  ['no binary for arm64', ' npm rebuild secp256k1 &&', '', /secp256k1 is not compiled/],
  ['ADD', 'COPY libs libs', 'ADD libs libs', /ADD takes more/],
  ['a shell around the command', 'CMD ["node", "main.js"]', 'CMD node main.js', /CMD is not a command in JSON/],
  ['npm in place of node', 'CMD ["node", "main.js"]', 'CMD ["npm", "start"]', /must start node itself/],
  ['no command', 'CMD ["node", "main.js"]\n', '', /must have one CMD/],
  [
    'a shell around the healthcheck',
    'CMD ["node", "healthcheck.mjs", "live"]',
    'CMD node healthcheck.mjs',
    /HEALTHCHECK is not a command in JSON/,
  ],
  ['no healthcheck', /^HEALTHCHECK.*\n/m, '', /no HEALTHCHECK/],
  ['root', 'USER 10001:10001', 'USER 0:0', /USER 0:0/],
  ['a user with a name', 'USER 10001:10001', 'USER node', /USER node/],
  ['a user id that a person may have', 'USER 10001:10001', 'USER 1000:1000', /USER 1000:1000/],
  ['no user', 'USER 10001:10001\n', '', /must name its user once/],
  [
    'a secret as an argument of the build',
    'ARG REVISION',
    'ARG NPM_TOKEN\nARG REVISION',
    /NPM_TOKEN looks like a secret/,
  ],
  ['a secret in the environment', ' HOST=', ` API_KEY_INDEX_KEY=${'ab'.repeat(32)} HOST=`, /API_KEY_INDEX_KEY looks/],
  ['a password in a URL', ' HOST=', ' NATS_URL=nats://a:b@nats HOST=', /NATS_URL looks like a secret/],
  [
    'packages that the lock does not name',
    'RUN npm ci --ignore-scripts\n',
    'RUN npm install --ignore-scripts\n',
    /npm ci installs what/,
  ],
  ['scripts of packages', 'RUN npm ci --ignore-scripts\n', 'RUN npm ci\n', /--ignore-scripts is missing/],
  ['sources before the packages', 'COPY package.json', 'COPY libs libs\nCOPY package.json', /whenever libs changes/],
  ['packages for development in the image', ' --omit=dev', '', /do not come from npm ci --omit=dev/],
  [
    'the packages of the build in the image',
    'COPY --from=modules /app/',
    'COPY --from=build /workspace/',
    /do not come from/,
  ],
  ['a download', 'RUN npx', 'RUN curl -sSf https://example.org/x | sh && npx', /no lock and no digest/],
  ['packages of the system', 'RUN npx', 'RUN apt-get install -y g++ && npx', /no lock and no digest/],
  [
    'sources in the image',
    'COPY docker/healthcheck.mjs ./',
    'COPY libs docker/healthcheck.mjs ./',
    /libs of the sources/,
  ],
  ['a build in the image', 'USER 10001', 'RUN npx nx build dashboard\nUSER 10001', /runs more than the removal/],
  ['npm left in the image', ' /usr/local/bin/npm ', ' ', /\/usr\/local\/bin\/npm of the base stays/],
  ['the port of metrics published', 'EXPOSE 3000', 'EXPOSE 3000 9000', /MONITOR_PORT is to be published nowhere/],
  ['no port for metrics', ' MONITOR_PORT=9000', '', /MONITOR_PORT is not set/],
  ['a variable that no class knows', ' HOST=', ' HOSTNAME_TYPO=x HOST=', /HOSTNAME_TYPO is not a variable/],
  ['a label left out', /org.opencontainers.image.title=\S+ \S+ \S+ \\\n {2}/, '', /image.title is missing/],
  ['a stage that is not there', '--from=modules', '--from=packages-typo', /do not come from/],
];

describe('the rules for Dockerfiles', () => {
  it('have nothing against the file that is broken below', () => {
    expect(dockerfileProblems('paymaster-rpc', GOOD)).toEqual([]);
  });

  it.each(BROKEN)('say so of %s', (_broken, from, to, said) => {
    const text = GOOD.replace(from, to);
    expect(text).not.toBe(GOOD);
    expect(dockerfileProblems('paymaster-rpc', text).join('\n')).toMatch(said);
  });
});
