import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  CANONICAL_ACCOUNT_FACTORIES,
  deployPriceFeeds,
  DEV_KEYS,
  startBundler,
  startNats,
  startPostgres,
  world,
  type Stack,
} from '@paymaster/devnet';
import { CANONICAL_ENTRY_POINTS } from '@paymaster/domain';
import { CONTEXT, readCompose } from './images';

/** What the apps are to be reached at, and the account that was made on the dashboard. */
type OfApps = 'paymasterRpc' | 'paymasterRpcMonitor' | 'dashboard' | 'settlement' | 'authToken' | 'paymaster';

/** What containers of docker/compose.yaml meet: Postgres, NATS with its users, a chain, a bundler, secrets, chains.json. */
export interface ImageWorld {
  /** The environment and the files that compose gives a service, with the addresses of this world. */
  containerOf(service: string): { env: Record<string, string>; mounts: Record<string, string> };
  readonly stack: Omit<Stack, OfApps>;
}

/**
 * Starts the servers, which end with this process, and makes the secret files by docker/make-secrets.
 *
 * @param folder an empty folder
 */
export async function startImageWorld(folder: string): Promise<ImageWorld> {
  const compose = readCompose();
  const secrets = makeSecrets(folder);
  const postgres = await startPostgres();
  writeFileSync(join(secrets, 'database_url'), postgres.url);
  const nats = await startNats({
    config: { file: join(CONTEXT, 'k8s/base/nats/nats.conf'), env: natsPasswords(secrets) },
  });
  const started = await startChain();
  const chains = join(folder, 'chains');
  mkdirSync(chains);
  writeFileSync(join(chains, 'chains.json'), JSON.stringify({ chains: started.chains }));
  return {
    containerOf: (service) => {
      const { environment = {}, secrets: names = [], volumes = [] } = compose.services[service] ?? {};
      const files = names.map((name) => [
        `/run/secrets/${name}`,
        join(secrets, basename(compose.secrets[name]?.file ?? name)),
      ]);
      const folders = volumes.map((volume) => [volume.split(':').at(-2), chains]);
      const env = Object.entries(environment).map(([name, value]) => [
        name,
        value.replace('nats://nats:4222', nats.url),
      ]);
      return { env: Object.fromEntries(env), mounts: Object.fromEntries([...files, ...folders]) };
    },
    stack: { ...started.stack, databaseUrl: postgres.url, natsUrl: nats.url },
  };
}

/** The files as containers see them: mounted one by one, so that the folder which keeps others out is not in the way. */
function makeSecrets(folder: string): string {
  const docker = join(folder, 'docker');
  mkdirSync(docker);
  for (const part of ['make-secrets', 'devnet']) {
    cpSync(join(CONTEXT, 'docker', part), join(docker, part), { recursive: true });
  }
  execFileSync(join(docker, 'make-secrets'), ['--devnet'], { stdio: 'ignore' });
  const secrets = join(docker, 'secrets/devnet');
  chmodSync(join(secrets, 'database_url'), 0o644);
  return secrets;
}

function natsPasswords(secrets: string): NodeJS.ProcessEnv {
  const users = ['dashboard', 'paymaster_rpc', 'settlement', 'stream_maker'];
  const password = (user: string) => JSON.stringify(readFileSync(join(secrets, `nats_${user}_password`), 'utf8'));
  return Object.fromEntries(users.map((user) => [`NATS_${user.toUpperCase()}_PASSWORD`, password(user)]));
}

async function startChain() {
  const { anvil, chain, paymasters, demo: demoContract, chainsEntry } = await world();
  const feeds = await deployPriceFeeds(chain);
  const bundler = await startBundler({ chainRpc: anvil.url });
  return {
    chains: [chainsEntry({ bundlerUrl: bundler.url, startBlock: 0, finality: { tag: 'finalized' } })],
    stack: {
      ...{ chainId: chain.chainId, chainRpc: anvil.url, bundler: bundler.url, paymasters, demoContract, feeds },
      ...{ entryPoints: CANONICAL_ENTRY_POINTS, accountFactories: CANONICAL_ACCOUNT_FACTORIES, devKeys: DEV_KEYS },
      // No operation here is paid in tokens, so the gateway asks for no prices; the dashboard sends no mail.
      ...{ tokens: [], priceServer: { url: '', controlUrl: '' }, mailLog: '' },
    },
  };
}
