import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lies, lyingProxy } from '@paymaster/chain/testing';
import {
  accountCommand,
  DEV_KEYS,
  freePort,
  LOCAL_CHAIN_ID,
  makeEventStream,
  startApplication,
  startNats,
  startPostgres,
  stopAllProcesses,
  world,
  type Nats,
  type Postgres,
} from '@paymaster/devnet';
import type { Address, Hex } from '@paymaster/domain';
import { natsConnectionOptions } from '@paymaster/messaging';
import { encryptKeystoreJson } from 'ethers';
import { connect, type NatsConnection } from 'nats';
import { Client } from 'pg';
import type { PlantedSecret } from './planted-secret';
import { Upstream } from './upstream';

export const CHAIN_ID = LOCAL_CHAIN_ID;
export const APPS = ['paymaster-rpc', 'dashboard', 'settlement'] as const;
export type App = (typeof APPS)[number];
const NATS_CONF = join(__dirname, '../../../../k8s/base/nats/nats.conf');

/** Real processes of all three apps with a secret of our own wherever they have one, and everything they let out. */
export interface CanaryWorld {
  readonly secrets: PlantedSecret[];
  /** The environment of each app, as it was started with. */
  readonly env: Readonly<Record<App, NodeJS.ProcessEnv>>;
  readonly url: Readonly<Record<App, string>>;
  readonly monitorUrl: Readonly<Record<App, string>>;
  /** Every line that each app wrote. */
  readonly logs: Readonly<Record<App, string[]>>;
  /** Every message on NATS: its subject, headers and data. */
  readonly messages: string[];
  /** What the chain, the bundler, the price API and a webhook are, for the apps. */
  readonly upstreams: Readonly<Record<'rpc' | 'bundler' | 'prices' | 'webhook', Upstream>>;
  readonly demo: { readonly address: Address; readonly callData: Hex };
  readonly nats: Nats;
  readonly postgres: Postgres;
  /** A secret to look for from now on. */
  plant(name: string, value: string): string;
  /** Every row of every table, as text. */
  dumpDatabase(): Promise<string>;
  createAccount(name: string): Promise<string>;
  stop(): Promise<void>;
}

/** Starts everything on free ports; nothing is left behind when that fails. */
export async function startCanaryWorld(): Promise<CanaryWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'paymaster-canaries-'));
  const closers: Array<() => unknown> = [() => rmSync(folder, { recursive: true, force: true })];
  const stop = async (): Promise<void> => {
    await stopAllProcesses();
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    return await bringUp({ folder, closers, stop });
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Beginning {
  readonly folder: string;
  readonly closers: Array<() => unknown>;
  readonly stop: () => Promise<void>;
}

async function bringUp({ folder, closers, stop }: Beginning): Promise<CanaryWorld> {
  const secrets: PlantedSecret[] = [];
  const plant = (name: string, value: string): string => {
    secrets.push({ name, value });
    return value;
  };
  const inFile = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const key = () => randomBytes(32).toString('hex');
  const password = () => `c4/n+ry ${randomBytes(12).toString('base64')}`;

  const users = [...APPS, 'stream-maker'] as const;
  const passwords = Object.fromEntries(users.map((user) => [user, plant(`NATS password of ${user}`, key())]));
  const observerPassword = key();
  const [place, postgres, nats] = await Promise.all([
    world(),
    startPostgres(),
    startNats({
      config: {
        file: inFile('nats.conf', withObserver(readFileSync(NATS_CONF, 'utf8'), observerPassword)),
        env: Object.fromEntries(
          users.map((user) => [`NATS_${user.toUpperCase().replace('-', '_')}_PASSWORD`, `"${passwords[user]}"`]),
        ),
      },
    }),
  ]);
  const databasePassword = plant('database password', password());
  const databaseUrl = await addDatabaseUser(postgres.url, databasePassword);
  plant('database password in its URL', encodeURIComponent(databasePassword));

  closers.push(() => place.stop());
  const { signer } = DEV_KEYS;

  const node = await lyingProxy(place.anvil.url, lies.everyAccountDeployed());
  closers.push(() => node.stop());
  const forward = async (body: string): Promise<string> =>
    (await fetch(node.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).text();
  const upstreams = {
    rpc: await Upstream.start(forward),
    bundler: await Upstream.start(() => Promise.resolve('{"jsonrpc":"2.0","id":1,"result":[]}')),
    prices: await Upstream.start(() => Promise.resolve(JSON.stringify({ ethereum: { usd: 3_000 } }))),
    webhook: await Upstream.start(() => Promise.resolve('{}')),
  };
  for (const upstream of Object.values(upstreams)) closers.push(() => upstream.stop());

  const entry = {
    rpcUrls: [`${upstreams.rpc.url}/v2/${plant('key in the RPC URL', key())}`],
    bundlerUrl: `${upstreams.bundler.url}/rpc?apikey=${plant('key in the bundler URL', key())}`,
    ...{ startBlock: 0, finality: { tag: 'finalized' } },
    pricing: { native: { apiId: 'ethereum' }, minSources: 1, maxAgeSeconds: 20 },
  };
  const chainsFile = inFile('chains.json', JSON.stringify({ chains: [place.chainsEntry(entry, ['0.6'])] }));
  const passphrase = plant('keystore passphrase', password());
  plant('signer key', signer.privateKey);
  const keystore = await encryptKeystoreJson({ address: signer.address, privateKey: signer.privateKey }, passphrase, {
    scrypt: { N: 1_024 },
  });
  const shared = {
    ...{ CHAINS_FILE: chainsFile, NATS_URL: nats.url, LOG_LEVEL: 'trace', WEBHOOK_ALLOW_INSECURE: 'true' },
    API_KEY_INDEX_KEY: plant('index key', key()),
    WEBHOOK_SIGNING_KEY: plant('webhook signing key', key()),
    TRUSTED_PROXIES: '1',
  };
  const ports = { 'paymaster-rpc': await freePort(), dashboard: await freePort() };
  const natsUser = (user: (typeof users)[number]) => ({ NATS_USER: user, NATS_PASSWORD: passwords[user] });
  const stream = { STREAM_MAX_BYTES: '67108864' };
  const env: Record<App, NodeJS.ProcessEnv> = {
    dashboard: {
      ...{ ...shared, ...natsUser('dashboard'), NATS_EVENTS_USER: 'dashboard-events' },
      ...{ DATABASE_URL: databaseUrl, RUN_MIGRATIONS: 'true' },
      ...{ MONITOR_PORT: `${ports.dashboard}`, API_KEY_ENCRYPTION_KEY: plant('encryption key', key()) },
    },
    settlement: {
      ...{ ...shared, ...natsUser('settlement'), DATABASE_URL: databaseUrl, RUN_MIGRATIONS: 'true' },
      ...{ POLL_INTERVAL_MS: '250', QUIET_POLL_INTERVAL_MS: '250', LEASE_TTL_SECONDS: '5', ...stream },
    },
    // From files where it can be, as in production.
    'paymaster-rpc': {
      ...{ ...shared, NATS_USER: 'paymaster-rpc', MONITOR_PORT: `${ports['paymaster-rpc']}` },
      NATS_PASSWORD_FILE: inFile('nats-password', passwords['paymaster-rpc'] ?? ''),
      DATABASE_URL_FILE: inFile('database-url', databaseUrl),
      SIGNER_KEYSTORE_FILE: inFile('keystore.json', keystore),
      SIGNER_KEYSTORE_PASSPHRASE_FILE: inFile('passphrase', passphrase),
      ...{ PRICE_API_URL: upstreams.prices.url, PRICE_API_KEY: plant('price API key', key()) },
    },
  };

  const messages: string[] = [];
  for (const account of ACCOUNTS) {
    const observer = await observe({ url: nats.url, account, password: observerPassword, messages });
    closers.push(() => observer.close());
  }
  const logs: Record<App, string[]> = { 'paymaster-rpc': [], dashboard: [], settlement: [] };
  const start = async (name: App): Promise<string> =>
    (await startApplication({ name, env: env[name], log: (line) => logs[name].push(line) })).url;
  // Settlement is ready when its books have caught up; the gateway needs the ledger that it makes.
  const dashboard = await start('dashboard');
  await makeEventStream({ NATS_URL: nats.url, ...natsUser('stream-maker'), ...stream });
  const settlement = await start('settlement');
  const gateway = await start('paymaster-rpc');
  return {
    ...{ secrets, env, logs, messages, upstreams, nats, postgres, plant, stop },
    url: { 'paymaster-rpc': gateway, dashboard, settlement },
    monitorUrl: {
      'paymaster-rpc': `http://127.0.0.1:${ports['paymaster-rpc']}`,
      dashboard: `http://127.0.0.1:${ports.dashboard}`,
      settlement,
    },
    demo: place.demo,
    dumpDatabase: () => dump(postgres.url),
    createAccount: async (name) => {
      const env = { DATABASE_URL: databaseUrl };
      return (await accountCommand<{ authToken: string }>(env, 'create', '--name', name)).authToken;
    },
  };
}

/** The accounts of nats.conf: what is said in one of them is not heard in another. */
const ACCOUNTS = ['POLICIES', 'EVENTS'] as const;

/** The users of production, and in each account one who may hear everything. */
function withObserver(conf: string, password: string): string {
  const may = 'permissions: { subscribe: [">"], publish: ["none"] }';
  return ACCOUNTS.reduce(
    (text, account) =>
      text.replace(
        new RegExp(`${account} \\{[^[]*users = \\[`),
        (start) => `${start}\n{ user: observer-${account}, password: "${password}", ${may} }\n`,
      ),
    conf,
  );
}

async function observe(to: {
  url: string;
  account: string;
  password: string;
  messages: string[];
}): Promise<NatsConnection> {
  const settings = { natsUrl: to.url, natsUser: `observer-${to.account}`, natsPassword: to.password };
  const connection = await connect(natsConnectionOptions(settings, 'observer'));
  connection.subscribe('>', {
    callback: (error, message) => {
      if (error) return;
      const headers = [...(message.headers ?? [])].map(([name, values]) => `${name}: ${values.join()}`);
      to.messages.push([message.subject, message.reply ?? '', ...headers, message.string()].join('\n'));
    },
  });
  await connection.flush();
  return connection;
}

/** A role that owns what the apps make, with a password that URLs have to encode. */
async function addDatabaseUser(url: string, password: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`CREATE ROLE apps LOGIN PASSWORD '${password}'`);
    await client.query('GRANT ALL ON DATABASE paymaster TO apps');
  } finally {
    await client.end();
  }
  const own = new URL(url);
  own.username = 'apps';
  own.password = encodeURIComponent(password);
  return own.href;
}

async function dump(url: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
        WHERE table_schema NOT IN ('pg_catalog', 'information_schema')`,
    );
    const parts: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
      parts.push(name, ...rows.map(({ row }) => row));
    }
    return parts.join('\n');
  } finally {
    await client.end();
  }
}
