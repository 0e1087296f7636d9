import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { builtFile } from '@paymaster/devnet';
import { until } from '@paymaster/domain/testing';
import { findSecrets } from './world/planted-secret';
import { Traffic, type Owner } from './canaries/traffic';
import { APPS, startCanaryWorld, type App, type CanaryWorld } from './world/canary-world';

/** Of a range for documentation; its first half is what counts as one client. */
const CLIENT = '2001:db8:beef:cafe::77';
const CLIENT_NETWORK = '2001:db8:beef:cafe';

let world: CanaryWorld;
let traffic: Traffic;
let owner: Owner;
/** What each place let out, and something that shows that it let anything out. */
const places = new Map<string, { text: string; shows: string }>();

beforeAll(async () => {
  world = await startCanaryWorld();
  const bearer = world.plant('Authorization header', 'c4nary-bearer-of-no-kind');
  world.plant('X-Forwarded-For header', CLIENT_NETWORK);
  traffic = new Traffic(world, { authorization: `Bearer ${bearer}`, 'x-forwarded-for': CLIENT });
  owner = await traffic.newOwner();
  await ownersWork();
  await clientsAsk();
  await scrape();
  await dependenciesFail();
  await scrape();
  places.set('the database', { text: await world.dumpDatabase(), shows: 'HYBRID' });
  await brokersAndDatabasesGo();
  for (const app of APPS) places.set(`the log of ${app}`, { text: world.logs[app].join('\n'), shows: '"service"' });
  places.set('answers', { text: traffic.answers.join('\n'), shows: 'paymasterAndData' });
  places.set('messages on NATS', { text: world.messages.join('\n'), shows: 'paymaster.policy.resolve' });
});
afterAll(() => world.stop());

/** Policies, webhooks and their secrets; then every way to be refused. */
async function ownersWork(): Promise<void> {
  const webhookUrl = `${world.upstreams.webhook.url}/hook`;
  const webhook = { webhookUrl, requestType: 'POST', events: ['granted', 'refused'] };
  const { secrets, webhookId } = await traffic.dashboardSecret(owner, 'POST', '/webhook', webhook);
  world.plant('webhook secret', String((secrets as string[])[0]));
  const rotated = await traffic.dashboardSecret(owner, 'POST', '/webhook/rotate', { webhookId });
  world.plant('rotated webhook secret', String((rotated['secrets'] as string[])[0]));
  const other = { authToken: owner.authToken, apiKey: 'aaaaaaaaa.00000000-0000-4000-8000-000000000000' };
  for (const keys of [{}, { authToken: owner.authToken }, { apiKey: owner.apiKey }, other]) {
    await traffic.dashboard(keys, 'GET', '/smart-contract');
  }
  // Secrets where they do not belong: swapped, in the path, in the query, in the body.
  await traffic.dashboard({ authToken: owner.apiKey, apiKey: owner.authToken }, 'GET', '/smart-contract');
  await traffic.dashboard(owner, 'GET', `/paymaster-policy/${owner.apiKey}`);
  await traffic.dashboard(owner, 'GET', `/${owner.authToken}?apiKey=${owner.apiKey}`);
  await traffic.dashboard(owner, 'GET', `/operation?state=${owner.apiKey}`);
  await traffic.send(`${world.url.dashboard}/%zz/${owner.apiKey}`);
  await traffic.dashboard(owner, 'GET', '/webhook/deliveries?webhookId=' + String(webhookId));
}

/** A signature with the key in every place a key may be; then every way to be refused. */
async function clientsAsk(): Promise<void> {
  const { apiKey } = owner;
  await untilSponsored();
  await traffic.rpc('', traffic.sponsor(), { 'x-api-key': apiKey });
  await traffic.rpc('', traffic.sponsor(), { authorization: `Bearer ${apiKey}` });
  await traffic.rpc(apiKey, { jsonrpc: '2.0', id: 1, method: 'pm_explain', params: [] });
  await traffic.rpc(apiKey, { jsonrpc: '2.0', id: 1, method: apiKey, params: [apiKey] });
  // Says to whoever sent it what method there is not.
  traffic.answers.pop();
  await traffic.rpc(apiKey, `{"jsonrpc": ${owner.authToken}`);
  await traffic.rpc(`${apiKey}x`, traffic.sponsor());
  await traffic.rpc(encodeURIComponent(`${apiKey}/..%2f`), traffic.sponsor());
  await traffic.rpc(owner.authToken, traffic.sponsor());
  await traffic.send(`${world.url['paymaster-rpc']}/api/v1/1/${apiKey}?key=${apiKey}`);
  await traffic.send(`${world.url['paymaster-rpc']}/%zz/${apiKey}`);
}

/** Settlement reads the deposit of the wallet first. */
async function untilSponsored(): Promise<void> {
  const answers = () => traffic.rpc(owner.apiKey, traffic.sponsor());
  await until(async () => (await answers()).includes('paymasterAndData'));
}

async function scrape(): Promise<void> {
  for (const app of APPS)
    for (const base of new Set([world.url[app], world.monitorUrl[app]]))
      for (const path of ['/metrics', '/health', '/health/live', '/health/ready']) {
        const text = await traffic.send(`${base}${path}`);
        const before = places.get(`${path} of ${app}`)?.text ?? '';
        if (path !== '/metrics' || text.includes('# HELP'))
          places.set(`${path} of ${app}`, { text: before + text, shows: path === '/metrics' ? 'process_cpu' : '{' });
      }
}

/** What the apps call refuses them, and repeats their URL and their headers in its words. */
async function dependenciesFail(): Promise<void> {
  const { rpc, bundler, prices, webhook } = world.upstreams;
  const asked = [rpc, bundler, prices, webhook].map((upstream) => upstream.asked);
  for (const upstream of [rpc, bundler, prices, webhook]) upstream.manner = 'repeats';
  const policy = { policyType: 'WEBHOOK', name: 'asked', policyData: { url: `${webhook.url}/decide` } };
  await traffic.dashboard(owner, 'POST', '/paymaster-policy', policy);
  await traffic.dashboard(owner, 'GET', '/funding-wallet');
  for (let tries = 0; tries < 100; tries++) {
    await traffic.rpc(owner.apiKey, traffic.sponsor({ calculateGasLimits: true }));
    const all = [rpc, bundler, prices, webhook].every((upstream, at) => upstream.asked > (asked[at] ?? 0));
    if (all && tries > 5) break;
    await sleep(100);
  }
  for (const upstream of [rpc, bundler, prices, webhook]) upstream.manner = 'good';
}

async function brokersAndDatabasesGo(): Promise<void> {
  await world.nats.stop();
  await traffic.dashboard(owner, 'PATCH', '/paymaster-settings', { sponsorNativeTransfers: true });
  await world.postgres.stop();
  await traffic.dashboard(owner, 'GET', '/paymaster');
  await traffic.rpc(owner.apiKey, traffic.sponsor());
  await scrape();
}

function expectNoSecret(text: string): void {
  expect(findSecrets(text, world.secrets)).toEqual([]);
}

describe('planted secrets', () => {
  it('are in every place that has secrets', () => {
    expect(world.secrets.map(({ name }) => name).sort()).toEqual([
      ...['Authorization header', 'NATS password of dashboard', 'NATS password of paymaster-rpc'],
      ...['NATS password of settlement', 'NATS password of stream-maker', 'X-Forwarded-For header', 'apiKey'],
      ...['authToken', 'database password'],
      ...[
        'database password in its URL',
        'encryption key',
        'index key',
        'key in the RPC URL',
        'key in the bundler URL',
      ],
      ...['keystore passphrase', 'price API key', 'rotated webhook secret', 'signer key', 'webhook secret'],
      'webhook signing key',
    ]);
  });

  it.each([
    ...APPS.flatMap((app) => [
      `the log of ${app}`,
      `/health of ${app}`,
      `/health/ready of ${app}`,
      `/metrics of ${app}`,
    ]),
    ...['answers', 'messages on NATS', 'the database'],
  ])('are not in %s', (place) => {
    const { text, shows } = places.get(place) ?? { text: '', shows: 'anything' };
    expect(text).toContain(shows);
    expectNoSecret(text);
  });

  // Each with something that keeps it from coming up; all of what it says is looked at.
  it.each<[string, App, Change]>([
    ...APPS.flatMap((app): Array<[string, App, Change]> => [
      ['wrong variables', app, malformed],
      ['a chains.json of secrets', app, () => ({ CHAINS_FILE: '/dev/stdin' })],
    ]),
    ['a wrong passphrase', 'paymaster-rpc', (env) => ({ SIGNER_KEYSTORE_PASSPHRASE_FILE: env['DATABASE_URL_FILE'] })],
    ['no keystore', 'paymaster-rpc', (env) => ({ SIGNER_KEYSTORE_FILE: env['SIGNER_KEYSTORE_PASSPHRASE_FILE'] })],
  ])('are not in what a process says that ends over %s (%s)', (_title, app, change) => {
    const env = { ...process.env, HOST: '127.0.0.1', PORT: '0', ...world.env[app], ...change(world.env[app]) };
    const input = `{"chains": [{"chainId": 1, "rpcUrls": ["htp:/${secret('key in the RPC URL')}"]}, ${secret('signer key')}`;
    const args = ['--enable-source-maps', builtFile(app, 'main.js')];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      env,
      input,
      encoding: 'utf8',
      timeout: 180_000,
    });
    expect(status).toBe(1);
    expect(stdout + stderr).not.toBe('');
    expectNoSecret(stdout + stderr);
  });
});

type Change = (env: NodeJS.ProcessEnv) => NodeJS.ProcessEnv;

/** Every variable is a secret, of itself or of another, that is nearly what belongs there. */
function malformed(): NodeJS.ProcessEnv {
  return {
    NATS_URL: `nats://u:${secret('NATS password of dashboard')}@127.0.0.1:1`,
    ...{ DATABASE_URL: `x://apps:${secret('database password')}@127.0.0.1:1/x`, DATABASE_URL_FILE: '' },
    DATABASE_POOL_SIZE: secret('database password'),
    LOG_LEVEL: secret('price API key'),
    API_KEY_INDEX_KEY: `${secret('index key')}00`,
    API_KEY_ENCRYPTION_KEY: `${secret('encryption key')}00`,
    WEBHOOK_SIGNING_KEY: `${secret('webhook signing key')}00`,
    SIGNER_PRIVATE_KEY: `${secret('signer key')}00`,
    PRICE_API_URL: secret('price API key'),
  };
}

function secret(name: string): string {
  const found = world.secrets.find((each) => each.name === name);
  if (!found) throw new Error(`no ${name} was planted`);
  return found.value;
}
