import { createHash, randomBytes } from 'node:crypto';
import { startNats, type Postgres } from '@paymaster/devnet';
import { createLedgerDatabase, seedChain } from '@paymaster/ledger/testing';
import type { Pool } from 'pg';
import { BUILT_GATEWAY, startBenchDashboard, startBenchGateway } from './bench-apps';
import type { BenchPaymaster, BenchWorld } from './bench-world';
import type { PinnedServer } from './pinned-server';
import { cpuSecondsOf } from './process-cpu';
import { apiKeyOfTenant, fillLedger, fillTenants } from './tenants';

/** A platform with its tenants: a database, a broker, a dashboard and a gateway of its own, all of them real. */
export interface TenantWorld {
  readonly name: string;
  readonly count: number;
  readonly natsUrl: string;
  readonly databaseUrl: string;
  readonly pool: Pool;
  readonly indexKey: string;
  readonly dashboard: PinnedServer;
  readonly gateway: PinnedServer;
  tenant(index: number): BenchPaymaster;
  /** CPU time of the Postgres processes that serve this world's apps; seconds. */
  databaseCpuSeconds(): Promise<number>;
  /** Both apps once more, for instance after a setting of the database was changed. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startTenantWorld(
  world: BenchWorld,
  options: {
    name: string;
    postgres: Postgres;
    count: number;
    contractsEach?: number;
    /** Reservations that are there already, and as much of all that comes with them. */
    ledgerRows?: number;
    nodeArguments?: readonly string[];
    gatewayEnv?: NodeJS.ProcessEnv;
    say: (line: string) => void;
  },
): Promise<TenantWorld> {
  const { name, postgres, count, contractsEach = 1, ledgerRows = 0, say } = options;
  const { chainId, contract, demo, chainsFile, signerPrivateKey } = world;
  const closers: Array<() => Promise<unknown>> = [];
  const stop = async (): Promise<void> => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    const indexKey = randomBytes(32).toString('hex');
    const nats = await startNats();
    closers.push(() => nats.stop());
    const { pool, url: databaseUrl, drop } = await createLedgerDatabase(postgres.url);
    closers.push(drop);
    await seedChain(pool, { chainId });

    const app = { natsUrl: nats.url, databaseUrl, indexKey, chainsFile };
    const startDashboard = () => startBenchDashboard({ ...app, name: `${name} dashboard` });
    const startGateway = () =>
      startBenchGateway({
        ...{ ...app, name: `${name} gateway`, signerPrivateKey },
        args: [...(options.nodeArguments ?? []), BUILT_GATEWAY],
        ...(options.gatewayEnv && { env: options.gatewayEnv }),
      });
    // The first start makes the dashboard's tables.
    let dashboard = await startDashboard();
    closers.push(() => dashboard.stop());
    await fillTenants(pool, { count, contractsEach, chainId, contract, demo, indexKey, say });
    if (ledgerRows > 0) await fillLedger(pool, { rows: ledgerRows, chainId });
    let gateway = await startGateway();
    closers.push(() => gateway.stop());

    return {
      ...{ name, count, natsUrl: nats.url, databaseUrl, pool, indexKey, stop },
      get dashboard() {
        return dashboard;
      },
      get gateway() {
        return gateway;
      },
      tenant: (index) => ({
        paymasterId: paymasterIdOf(index),
        path: `/api/v2/${chainId}/${apiKeyOfTenant(index)}`,
      }),
      async databaseCpuSeconds() {
        const { rows } = await pool.query<{ pid: number }>(
          `SELECT pid FROM pg_stat_activity
            WHERE datname = current_database() AND application_name IN ('paymaster-ledger', 'dashboard')`,
        );
        return rows.reduce((sum, { pid }) => sum + cpuSecondsOf(pid), 0);
      },
      async restart() {
        await Promise.all([dashboard.stop(), gateway.stop()]);
        dashboard = await startDashboard();
        gateway = await startGateway();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** As the database has it: the MD5 of a name, written as a UUID. */
function paymasterIdOf(index: number): string {
  const hex = createHash('md5').update(`paymaster/${index}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
