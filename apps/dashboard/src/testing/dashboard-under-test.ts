import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { freePort, openDatabase, startNats, startPostgres, type TestDatabase, type Nats } from '@paymaster/devnet';
import { loadConfig } from '@paymaster/nest-kit';
import { DataSource } from 'typeorm';
import { AccountsService } from '../access/accounts/accounts.service';
import { DashboardConfig } from '../platform/config/dashboard.config';
import { createApp } from '../create-app';
import { migrateDashboard } from '../schema/data-source';

export const CHAIN_ID = 31337;
export const CHAIN_WITHOUT_PRICES = CHAIN_ID + 1;
export const CHAIN_OF_TWO_SOURCES = CHAIN_ID + 2;
/** Nothing is deployed there. */
export const PLATFORM_PAYMASTER = `0x${'9a'.repeat(20)}`;
export const INDEX_KEY = '11'.repeat(32);

const MIGRATED = { name: 'migrated_dashboard', fill: migrateDashboard };

/** Where people open the page. */
export const PAGE = 'https://paymaster.example.org';

/** The operator's tokens of {@link CHAIN_ID}. */
const TOKEN_LIST = {
  name: 'test',
  timestamp: '2025-01-01T00:00:00.000Z',
  version: { major: 1, minor: 0, patch: 0 },
  tokens: ['OPSx', 'OPTx'].map((symbol, index) => ({
    chainId: CHAIN_ID,
    address: `0x${`5${index}`.repeat(20)}`,
    name: `The ${symbol}`,
    symbol,
    decimals: 18,
    extensions: { paymaster: { price: { fixedUsd: '2' }, premiumPercentage: '2.5' } },
  })),
};

/** The real service in this process, on a real Postgres and a real NATS. */
export interface DashboardUnderTest {
  readonly app: NestFastifyApplication;
  readonly postgres: TestDatabase;
  readonly natsUrl: string;
  /** Starts NATS, when the service was started without. */
  startNats(): Promise<Nats>;
  /** A token of a new account. */
  createToken(name: string): Promise<string>;
  call(request: TestCall): Promise<TestAnswer>;
  stop(): Promise<void>;
}

export interface TestCall {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** After /api/v2/public/sdk. */
  readonly path: string;
  readonly authToken?: string;
  readonly apiKey?: string;
  /** Headers besides. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

export interface TestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: { statusCode: number; message: string; data?: Record<string, unknown> };
}

/**
 * Starts everything; `env` overrides the configuration. With `nats: false` the broker's port is free, but nobody listens.
 * With `ownPostgres` a test may stop the server.
 */
export async function startDashboard(
  options: { env?: Record<string, string>; nats?: boolean; ownPostgres?: boolean; chainRpcUrl?: string } = {},
): Promise<DashboardUnderTest> {
  const postgres = await (options.ownPostgres ? startPostgres() : openDatabase(MIGRATED));
  const natsPort = await freePort();
  let nats = options.nats === false ? undefined : await startNats({ port: natsPort });
  const natsUrl = nats?.url ?? `nats://127.0.0.1:${natsPort}`;
  const folder = mkdtempSync(join(tmpdir(), 'paymaster-dashboard-'));
  const config = loadConfig(DashboardConfig, {
    DATABASE_URL: postgres.url,
    NATS_URL: natsUrl,
    CHAINS_FILE: writeChainsFile(folder, options.chainRpcUrl),
    API_KEY_INDEX_KEY: INDEX_KEY,
    API_KEY_ENCRYPTION_KEY: '22'.repeat(32),
    LOG_LEVEL: 'silent',
    PUBLIC_URL: PAGE,
    ...options.env,
  });
  const stopServers = async () => {
    await nats?.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  const app = await startApp(config).catch(async (error: unknown) => {
    await stopServers();
    throw error;
  });
  return {
    app,
    postgres,
    natsUrl,
    startNats: async () => (nats = await startNats({ port: natsPort })),
    async createToken(name) {
      const accounts = app.get(AccountsService);
      return (await accounts.issueToken(await accounts.create(name))).authToken;
    },
    call: (request) => inject(app, request),
    async stop() {
      await app.close().finally(stopServers);
    },
  };
}

/** The database behind the service. */
export function databaseOf({ app }: DashboardUnderTest): DataSource {
  return app.get(DataSource);
}

async function startApp(config: DashboardConfig): Promise<NestFastifyApplication> {
  const app = await createApp(config);
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  return app;
}

async function inject(app: NestFastifyApplication, request: TestCall): Promise<TestAnswer> {
  const { method, path, authToken, apiKey, body } = request;
  const headers = { ...(authToken && { authToken }), ...(apiKey && { apiKey }), ...request.headers };
  const answer = await app.inject({ method, url: `/api/v2/public/sdk${path}`, headers, payload: body });
  return { status: answer.statusCode, headers: answer.headers, body: answer.json<TestAnswer['body']>() };
}

/** Nobody listens on port 1. */
function writeChainsFile(folder: string, rpcUrl = 'http://127.0.0.1:1'): string {
  const file = join(folder, 'chains.json');
  const entryPoints = {
    '0.7': { entryPoint: '0x0000000071727de22e5e9d8baf0edac6f37da032', paymaster: PLATFORM_PAYMASTER },
  };
  const chain = { name: 'local', rpcUrls: [rpcUrl], bundlerUrl: 'http://127.0.0.1:1', entryPoints };
  const native = { apiId: 'ethereum', fixedUsd: '3000' };
  const chains = [
    { ...chain, chainId: CHAIN_ID, pricing: { native }, tokenList: 'tokens.json' },
    { ...chain, chainId: CHAIN_WITHOUT_PRICES },
    { ...chain, chainId: CHAIN_OF_TWO_SOURCES, pricing: { native, minSources: 2 } },
  ];
  writeFileSync(file, JSON.stringify({ chains }));
  writeFileSync(join(folder, 'tokens.json'), JSON.stringify(TOKEN_LIST));
  return file;
}
