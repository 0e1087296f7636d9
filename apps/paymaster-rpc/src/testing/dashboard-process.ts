import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Commands, freePort } from '@paymaster/devnet';
import { CANONICAL_ENTRY_POINTS, ENTRY_POINT_VERSIONS } from '@paymaster/domain';
import { until } from '@paymaster/domain/testing';
import type { GatewayWorld } from './gateway-world';

const SOURCES = join(__dirname, '../../../dashboard/src');
const SDK = '/api/v2/public/sdk';
/** How long the process may take to start: it is compiled at its start, and the machine may be busy. */
const READY_MS = 180_000;

/** A REST request of an owner. */
export interface OwnerRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** The path after /api/v2/public/sdk. */
  readonly path: string;
  readonly keys: { readonly authToken: string; readonly apiKey?: string };
  readonly body?: object;
}

/** The real dashboard of a gateway world. */
export interface DashboardProcess {
  /** @returns the authToken of a new account */
  createAccount(name: string): Promise<string>;
  /** @returns `data` of the answer @throws when it is refused */
  ask(request: OwnerRequest): Promise<Record<string, unknown>>;
  stop(): Promise<void>;
}

/**
 * Runs the dashboard from its sources in a separate process, because apps do not import each other. From now on only
 * the dashboard answers the gateway's questions.
 *
 * @param env the variables that both apps get, among them `API_KEY_INDEX_KEY`
 * @param chain fields of the world's chain in chains.json, in addition to its contracts
 */
export async function startDashboardProcess(
  world: GatewayWorld,
  { env, chain = {} }: { env: Readonly<Record<string, string>>; chain?: object },
): Promise<DashboardProcess> {
  await world.responder.stop();
  const folder = mkdtempSync(join(tmpdir(), 'paymaster-dashboard-'));
  const chainsFile = join(folder, 'chains.json');
  writeFileSync(chainsFile, JSON.stringify({ chains: [{ ...chainOf(world), ...chain }] }));
  const commands = new Commands(SOURCES);
  const database = { DATABASE_URL: world.ledger.url };
  const port = await freePort();
  const child = spawn(process.execPath, ['-r', './devnet/load-typescript.cjs', join(SOURCES, 'main.ts')], {
    env: {
      ...{ PATH: process.env['PATH'], HOST: '127.0.0.1', PORT: `${port}`, DRAIN_SECONDS: '0', LOG_LEVEL: 'silent' },
      ...{ ...database, CHAINS_FILE: chainsFile, NATS_URL: world.broker.current.url },
      ...{ API_KEY_ENCRYPTION_KEY: '22'.repeat(32), ...env },
    },
  });
  const ended = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await Promise.all([ended, commands.stop()]);
    rmSync(folder, { recursive: true, force: true });
  };
  const isReady = () => fetch(`${url}/health/ready`).then(({ ok }) => ok, () => false); // prettier-ignore
  await until(isReady, 'the dashboard is ready', READY_MS).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return {
    stop,
    async createAccount(name) {
      const { stdout } = await commands.run('account.cli.ts', ['create', '--name', name, '--json'], database);
      return (JSON.parse(stdout) as { authToken: string }).authToken;
    },
    async ask({ method, path, keys, body }) {
      const response = await fetch(`${url}${SDK}${path}`, {
        method,
        headers: { ...keys, ...(body && { 'content-type': 'application/json' }), connection: 'close' },
        ...(body && { body: JSON.stringify(body) }),
      });
      const { message, data = {} } = (await response.json()) as { message: string; data?: Record<string, unknown> };
      if (!response.ok) throw new Error(`${method} ${path}: ${message}`);
      return data;
    },
  };
}

function chainOf({ anvil, paymasters }: GatewayWorld): object {
  const entryPoints = Object.fromEntries(
    ENTRY_POINT_VERSIONS.map((version) => [
      version,
      { entryPoint: CANONICAL_ENTRY_POINTS[version], paymaster: paymasters[version] },
    ]),
  );
  return { chainId: 31337, name: 'local', rpcUrls: [anvil.url], bundlerUrl: 'http://127.0.0.1:9', entryPoints };
}
