import { ENTRY_POINT_VERSIONS, type Hex } from '@paymaster/domain';
import { parseEther } from 'viem';
import { deployCanonicalContracts, type PerVersion } from '../chain/canonical-contracts';
import { deployDemoTokens, type DeployedToken } from '../chain/demo-tokens';
import { connectDevChain, type DevChain } from '../chain/dev-chain';
import { DEV_KEYS } from '../chain/dev-keys';
import { ensureCoin } from '../chain/ensure-coin';
import { BLOCK_GAS_LIMIT, Neighbours } from '../chain/neighbours';
import { deployDemoContract, deployPaymasters } from '../chain/paymaster-contracts';
import { deployPriceFeeds, keepFeedsFresh, type DemoFeeds } from '../chain/price-feeds';
import { startAnvil } from '../processes/anvil';
import { freePort } from '../processes/free-port';
import { SmtpReceiver } from '../processes/smtp-receiver';
import { EXECUTORS, startBundler } from '../chain/bundler';
import { startPostgres } from '../processes/postgres';
import { makeEventStream, startApplication } from './applications';
import type { DataFolder } from './data-folder';
import { startSwitchableNats } from './nats-switch';
import { natsConfigOf, natsUserOf } from './nats-users';
import { startPriceServer } from './price-server';
import { loadSecrets, type Secrets } from './secrets';
import type { Stack } from './stack-file';

/** What the demonstration's wallet has on each paymaster contract. */
const DEMO_FUNDING_ETH = '10';

/** Parts with a port, in the order of their wanted ports. */
export const PORT_ORDER = [
  'paymaster-rpc',
  'dashboard',
  'chain',
  'bundler',
  'postgres',
  'nats',
  'prices',
  'settlement',
] as const;
export type Part = (typeof PORT_ORDER)[number];

/** A local world that is being brought up. */
export interface World {
  readonly folder: DataFolder;
  readonly progress: (line: string) => void;
  readonly deaths: Array<Promise<string>>;
  /** What runs in this process and has to be ended with the world. */
  readonly closers: Array<() => unknown>;
  /** The wanted port of a part, or undefined for any. */
  readonly port: (part: Part) => number | undefined;
}

export async function database(world: World): Promise<string> {
  const given = process.env['DATABASE_URL'];
  if (given) return replaced(world, 'Postgres', given);
  const { folder, port } = world;
  const log = folder.log('postgres');
  const postgres = await startPostgres({ dataDir: folder.postgres, port: port('postgres'), log });
  return started(world, 'Postgres', postgres);
}

export async function messageBroker(world: World): Promise<string> {
  const given = process.env['NATS_URL'];
  if (given) return replaced(world, 'NATS', given);
  const { folder, port } = world;
  const log = folder.log('nats-server');
  const { nats: dataDir, natsOffFile: offFile } = folder;
  const config = natsConfigOf(loadSecrets(folder.secretsFile));
  return started(world, 'NATS', await startSwitchableNats({ dataDir, offFile, port: port('nats'), config, log }));
}

export async function localChain(world: World): Promise<string> {
  const given = process.env['CHAIN_RPC_URL'];
  if (given) return replaced(world, 'chain', given);
  const { folder, port } = world;
  const log = folder.log('anvil');
  const { chainState: stateFile } = folder;
  const anvil = await startAnvil({ stateFile, port: port('chain'), blockGasLimit: BLOCK_GAS_LIMIT, log });
  const neighbours = await Neighbours.moveIn(anvil.url);
  // A block a second: most of it they rest.
  neighbours.start(700);
  world.closers.push(() => neighbours.stop());
  return started(world, 'chain', anvil);
}

/** What of ours is on the chain. */
export interface Contracts {
  readonly paymasters: PerVersion<Hex>;
  readonly demoContract: { readonly address: Hex; readonly callData: Hex };
  readonly tokens: readonly DeployedToken[];
  readonly feeds: DemoFeeds;
}

export async function contracts(world: Pick<World, 'progress'>, chain: DevChain): Promise<Contracts> {
  const { owner, bundlerUtility, feedOperator } = DEV_KEYS;
  await ensureCoin(chain, [owner, ...EXECUTORS, bundlerUtility, feedOperator]);
  await deployCanonicalContracts(chain);
  const paymasters = await deployPaymasters(chain, {
    signer: DEV_KEYS.signer.address,
    fundingWallet: DEV_KEYS.fundingWallet.address,
    fundingWei: parseEther(process.env['FUNDING_ETH'] ?? DEMO_FUNDING_ETH),
  });
  for (const version of ENTRY_POINT_VERSIONS) {
    world.progress(`contract       paymaster for EntryPoint v${version} at ${paymasters[version]}, staked and funded`);
  }
  const [demoContract, tokens, feeds] = await Promise.all([
    deployDemoContract(chain),
    deployDemoTokens(chain),
    deployPriceFeeds(chain),
  ]);
  for (const { symbol, decimals, address } of tokens) {
    world.progress(`token          ${symbol} with ${decimals} decimals at ${address}, feed at ${feeds[symbol]}`);
  }
  return { paymasters, demoContract, tokens, feeds };
}

/** The second opinion on every price, and the task that keeps the first one fresh. */
export async function prices(
  world: World,
  { chainRpc, feeds }: { chainRpc: string; feeds: DemoFeeds },
): Promise<Stack['priceServer']> {
  const operator = await connectDevChain({ rpcUrl: chainRpc, privateKey: DEV_KEYS.feedOperator.privateKey });
  const keeper = keepFeedsFresh(operator, feeds);
  world.closers.push(() => keeper.stop());
  const server = await startPriceServer({ port: world.port('prices') });
  world.closers.push(() => server.stop());
  const { url, controlUrl } = server;
  world.progress(`price API      ${url}`);
  return { url, controlUrl };
}

export async function bundler(world: World, chainRpc: string): Promise<string> {
  const given = process.env['BUNDLER_URL'];
  if (given) return replaced(world, 'bundler', given);
  const alto = await startBundler({
    chainRpc,
    port: world.port('bundler'),
    log: world.folder.log('bundler'),
  });
  return started(world, 'bundler', alto);
}

/** A mail server that sends nothing on: what it gets is in a file. */
export async function mail(world: World): Promise<{ url: string; file: string }> {
  const { log, mailLog: file } = world.folder;
  const keep = log('mail');
  const server = await SmtpReceiver.start({
    onMail: ({ to, subject, text }) => {
      keep(`To: ${to.join(', ')}\nSubject: ${subject}\n\n${text}\n`);
      world.progress(`mail           to ${to.join(', ')}: ${JSON.stringify(subject)}, in ${file}`);
    },
  });
  world.closers.push(() => server.stop());
  world.progress(`mail server    ${withoutPassword(server.url)}, sends nothing on`);
  return { url: server.url, file };
}

export async function applications(
  world: World,
  urls: { databaseUrl: string; natsUrl: string; priceApi: string; smtp: string },
): Promise<Pick<Stack, 'dashboard' | 'settlement' | 'paymasterRpc' | 'paymasterRpcMonitor'>> {
  const { folder, port } = world;
  const secrets = loadSecrets(folder.secretsFile);
  const env = { NATS_URL: urls.natsUrl, CHAINS_FILE: folder.chainsFile, DATABASE_URL: urls.databaseUrl };
  const user = (name: Parameters<typeof natsUserOf>[0]) => userOf(name, secrets);
  const gatewayPort = await freePort(port('paymaster-rpc'));
  const dashboardApp = await startApplication({
    name: 'dashboard',
    env: {
      ...env,
      ...user('dashboard'),
      ...sharedBy(secrets),
      API_KEY_ENCRYPTION_KEY: secrets.apiKeyEncryptionKey,
      RUN_MIGRATIONS: 'true',
      PUBLIC_GATEWAY_URL: `http://127.0.0.1:${gatewayPort}`,
      ...{ SMTP_URL: urls.smtp, SMTP_FROM: 'Paymaster <paymaster@example.org>' },
      // Tests and visitors of the page sign in with wallets that nobody invited.
      SIGN_UP: 'open',
      // Tests make a paymaster for each case, all of the seeded account's.
      MAX_PAYMASTERS_PER_ACCOUNT: '2000',
    },
    port: port('dashboard'),
    log: folder.log('dashboard'),
  });
  const dashboard = started(world, 'dashboard', dashboardApp);
  const stream = { STREAM_MAX_BYTES: '67108864' };
  await makeEventStream({ NATS_URL: urls.natsUrl, ...user('stream-maker'), ...stream });
  // Ready once its books have caught up with the chain: before that the gateway could reserve nothing.
  const settlementApp = await startApplication({
    name: 'settlement',
    env: {
      ...env,
      ...user('settlement'),
      ...{ POLL_INTERVAL_MS: '250', QUIET_POLL_INTERVAL_MS: '250', LEASE_TTL_SECONDS: '5', ...stream },
    },
    port: port('settlement'),
    log: folder.log('settlement'),
  });
  const settlement = started(world, 'settlement', settlementApp);
  const gatewayApp = await startApplication({
    name: 'paymaster-rpc',
    env: gatewayEnv({ ...urls, secrets, chainsFile: folder.chainsFile }),
    port: gatewayPort,
    log: folder.log('paymaster-rpc'),
  });
  const paymasterRpc = started(world, 'gateway', gatewayApp);
  return { dashboard, settlement, paymasterRpc, paymasterRpcMonitor: gatewayApp.monitor };
}

/** What a gateway of the world is started with. */
export function gatewayEnv(world: {
  readonly databaseUrl: string;
  readonly natsUrl: string;
  readonly priceApi: string;
  readonly chainsFile: string;
  readonly secrets: Secrets;
}): NodeJS.ProcessEnv {
  const { databaseUrl, natsUrl, priceApi, chainsFile, secrets } = world;
  return {
    ...{ NATS_URL: natsUrl, CHAINS_FILE: chainsFile, DATABASE_URL: databaseUrl, PRICE_API_URL: priceApi },
    ...userOf('paymaster-rpc', secrets),
    ...sharedBy(secrets),
    SIGNER_PRIVATE_KEY: DEV_KEYS.signer.privateKey,
  };
}

/** A NATS that was given knows its own users: the environment names them, if there are any. */
function userOf(name: Parameters<typeof natsUserOf>[0], secrets: Secrets): NodeJS.ProcessEnv {
  return process.env['NATS_URL'] ? {} : natsUserOf(name, secrets);
}

function sharedBy(secrets: Secrets): NodeJS.ProcessEnv {
  return {
    API_KEY_INDEX_KEY: secrets.apiKeyIndexKey,
    WEBHOOK_SIGNING_KEY: secrets.webhookSigningKey,
    // Whoever tries webhooks here has the receiver on this machine, without a certificate.
    WEBHOOK_ALLOW_INSECURE: 'true',
  };
}

function started(world: World, part: string, { url, died }: { url: string; died: Promise<string> }): string {
  world.deaths.push(died);
  world.progress(`${part.padEnd(14)} ${withoutPassword(url)}`);
  return url;
}

function replaced(world: World, part: string, url: string): string {
  world.progress(`${part.padEnd(14)} ${withoutPassword(url)} (given, not started)`);
  return url;
}

function withoutPassword(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//');
}
