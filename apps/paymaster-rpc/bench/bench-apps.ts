import { join } from 'node:path';
import { freePort } from '@paymaster/devnet';
import type { Hex } from '@paymaster/domain';
import { PinnedServer } from './pinned-server';

const BUILT = join(__dirname, '../../../dist');
export const BUILT_GATEWAY = join(BUILT, 'apps/paymaster-rpc/main.js');
const BUILT_DASHBOARD = join(BUILT, 'apps/dashboard/main.js');
/** Built as the gateway is: code that is compiled as it is read, and every module's exports behind getters, costs more. */
export const BUILT_GATEWAY_WITHOUT_LEDGER = join(BUILT, 'bench/paymaster-rpc/gateway-without-ledger.js');
export const BUILT_FLOOR = join(BUILT, 'bench/paymaster-rpc/floor-server.js');

/** High, not off: the checks are part of what is measured. */
export const MANY = 1_000_000;

interface App {
  readonly name: string;
  readonly natsUrl: string;
  readonly databaseUrl: string;
  /** Of the blind index of API keys; 64 hexadecimal digits. */
  readonly indexKey: string;
  readonly chainsFile: string;
}

/** A gateway on the servers' core. @param options.args what Node runs */
export function startBenchGateway(
  options: App & { args: readonly string[]; signerPrivateKey: Hex; env?: NodeJS.ProcessEnv },
): Promise<PinnedServer> {
  return start(options, options.args, {
    // Nobody follows this chain.
    LEDGER_MAX_LAG_SECONDS: '86400',
    SIGNER_PRIVATE_KEY: options.signerPrivateKey,
    // Own bound: MANY says why.
    RATE_LIMIT_PER_KEY_PER_SECOND: String(MANY),
    MAX_LIVE_SIGNATURES_PER_SENDER: String(MANY),
    MAX_LIVE_SIGNATURES_PER_CLIENT: String(MANY),
    MAX_LIVE_SIGNATURES_PER_PAYMASTER: String(MANY),
    ...options.env,
  });
}

/** The built dashboard on the servers' core; it brings its schema along. */
export function startBenchDashboard(options: App): Promise<PinnedServer> {
  return start(options, [BUILT_DASHBOARD], { API_KEY_ENCRYPTION_KEY: '22'.repeat(32) });
}

async function start(app: App, args: readonly string[], env: NodeJS.ProcessEnv): Promise<PinnedServer> {
  const port = await freePort();
  return PinnedServer.start({
    ...{ name: app.name, port, args },
    env: {
      NODE_ENV: 'development',
      HOST: '127.0.0.1',
      NATS_URL: app.natsUrl,
      DATABASE_URL: app.databaseUrl,
      CHAINS_FILE: app.chainsFile,
      API_KEY_INDEX_KEY: app.indexKey,
      DRAIN_SECONDS: '0',
      ...env,
    },
    isReady: async () => (await fetch(`http://127.0.0.1:${port}/health/ready`)).ok,
  });
}
