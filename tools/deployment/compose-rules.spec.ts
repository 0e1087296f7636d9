import { composeProblems } from './compose-rules';
import { read } from './environment';

const GOOD = read('docker/compose.yaml');
const DASHBOARD = '  dashboard:\n    <<: *hardened\n';

/** What is done to the good file, and what must be said about it. */
const BROKEN: ReadonlyArray<[broken: string, from: string | RegExp, to: string, said: RegExp]> = [
  [
    'a key that compose does not know',
    DASHBOARD,
    `${DASHBOARD}    restarts: always\n`,
    /services\/dashboard .*restarts/,
  ],
  ['a wrong type', DASHBOARD, `${DASHBOARD}    command: node main.js\n`, /dashboard\/command must be array/],
  ['an unknown key of a healthcheck', 'retries: 12', 'tries: 12', /healthcheck .*tries/],
  ['a condition that does not exist', 'condition: service_healthy', 'condition: healthy', /condition must be equal/],
  ['an image without a digest', /nats:2\.12\S+/, 'nats:2.12-alpine', /nats-volume: image .* not pinned/],
  [
    'an image of ours that is the latest',
    'image: paymaster-platform/dashboard:0.1.0',
    'image: paymaster-platform/dashboard:latest',
    /has no version/,
  ],
  ['a root that can be written', '  read_only: true\n', '', /dashboard: read_only/],
  ['capabilities', '  cap_drop: [ALL]\n', '', /dashboard: cap_drop/],
  ['privileges to be had', "  security_opt: ['no-new-privileges:true']\n", '', /dashboard: no-new-privileges/],
  ['a capability beside a network', DASHBOARD, `${DASHBOARD}    cap_add: [NET_ADMIN]\n`, /dashboard: cap_add/],
  ['Postgres as root', "user: '999:999'", "user: '0:0'", /postgres: runs as root/],
  ['the user that an image happens to have', "    user: '999:999'\n", '', /postgres: user is not two numbers/],
  ['no limit on memory', /mem_limit: 256m\n {2}pids/, 'pids', /migrate-dashboard: mem_limit/],
  [
    'no limit on processes',
    /pids_limit: 100\n {4}healthcheck: \*ready/,
    'healthcheck: *ready',
    /dashboard: pids_limit/,
  ],
  ['no restart', '  restart: unless-stopped\n', '', /dashboard: restart/],
  ['no init', '  init: true\n', '', /dashboard: init/],
  ['no healthcheck', '    healthcheck: *ready\n', '', /dashboard: healthcheck/],
  ['a port for the whole network', "'127.0.0.1:${DASHBOARD_PORT", "'${DASHBOARD_PORT", /on more than this machine/],
  ['the port of metrics published', ':-3001}:3001', ':-9001}:9001', /publishes 9001/],
  [
    'Postgres published',
    '    networks: [backend]\n    mem_limit: 1g',
    "    ports: ['127.0.0.1:5432:5432']\n    networks: [backend]\n    mem_limit: 1g",
    /postgres: publishes/,
  ],
  [
    'a secret in the environment',
    'API_KEY_INDEX_KEY_FILE: /run/secrets/api_key_index_key',
    'API_KEY_INDEX_KEY: abc',
    /API_KEY_INDEX_KEY is a secret/,
  ],
  [
    'a secret that is not mounted',
    'secrets: [nats_settlement_password, database_url]',
    'secrets: [database_url]',
    /settlement: the secret nats_settlement_password/,
  ],
  ['a secret without a file', /^ {2}webhook_signing_key:.*\n/m, '', /there is no secret webhook_signing_key/],
  ['a volume that is not there', '  nats-data: {}\n', '', /there is no volume nats-data/],
  ['a network that is not there', '  outside: {}\n', '', /there is no network outside/],
  ['a way out for the database', 'backend: { internal: true }', 'backend: {}', /backend has a way out/],
  [
    'a service that is waited for and not there',
    '    postgres: { condition',
    '    database: { condition',
    /waits for database/,
  ],
  [
    'waiting for the end of what stays',
    'nats: { condition: service_healthy }',
    'nats: { condition: service_completed_successfully }',
    /never be service_completed/,
  ],
  [
    'a start before the migration',
    '      migrate-dashboard: { condition: service_completed_successfully }\n',
    '',
    /starts before migrate-dashboard/,
  ],
  [
    'a start before the stream is made',
    '      make-stream: { condition: service_completed_successfully }\n',
    '',
    /settlement: starts before make-stream/,
  ],
  [
    'a need for what only a profile starts',
    'service_healthy, required: false',
    'service_healthy',
    /only a profile starts/,
  ],
  [
    'a variable that no class knows',
    'NATS_USER: dashboard',
    'NATS_USERNAME: dashboard',
    /NATS_USERNAME is not a variable/,
  ],
  ['a variable left out', '      CHAINS_FILE: /etc/paymaster/chains/chains.json\n', '', /dashboard needs CHAINS_FILE/],
];

describe('the rules for docker/compose.yaml', () => {
  it('have nothing against the file', () => {
    expect(composeProblems(GOOD)).toEqual([]);
  });

  it.each(BROKEN)('say so of %s', (_broken, from, to, said) => {
    const text = GOOD.replace(from, () => to);
    expect(text).not.toBe(GOOD);
    expect(composeProblems(text).join('\n')).toMatch(said);
  });
});
