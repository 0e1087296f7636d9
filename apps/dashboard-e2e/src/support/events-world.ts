import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SponsoredChain } from '@paymaster/chain/testing';
import {
  builtFile,
  freePort,
  makeEventStream,
  startApplication,
  startNats,
  openDatabase,
  type Application,
  type Nats,
  type TestDatabase,
} from '@paymaster/devnet';
import { until } from '@paymaster/domain/testing';
import { SPONSORSHIP_STREAM } from '@paymaster/messaging';
import { WebhookReceiver } from '@paymaster/webhooks/testing';
import { connect } from 'nats';
import { Pool } from 'pg';

export const CHAIN_ID = 31337;
/** Blocks on top that make a block final. */
export const FINALITY_DEPTH = 4;
/** A consumer takes 32 events at a time; one more may be on its way into the database. */
const MAX_TAKEN = 33;
const CONSUMERS = ['dashboard-operations', 'dashboard-webhooks'];
const execute = promisify(execFile);

/** Both apps from their builds, on a Postgres, a nats-server and a chain of their own: nobody else minds what is killed. */
export class EventsWorld {
  readonly pool: Pool;
  dashboard!: Application;
  settlement!: Application;

  private constructor(
    readonly chain: SponsoredChain,
    readonly receiver: WebhookReceiver,
    private readonly postgres: TestDatabase,
    private readonly folder: string,
    private nats: Nats,
  ) {
    this.pool = new Pool({ connectionString: postgres.url, max: 4 });
    this.pool.on('error', () => undefined);
  }

  /** Resolves when both apps are ready and the books have reached the chain's head. */
  static async start(): Promise<EventsWorld> {
    const folder = mkdtempSync(join(tmpdir(), 'paymaster-events-'));
    const chain = await SponsoredChain.start();
    const nats = await startNats({ dataDir: join(folder, 'nats'), port: await freePort() });
    const world = new EventsWorld(chain, await WebhookReceiver.start(), await openDatabase(), folder, nats);
    try {
      await chain.mine(FINALITY_DEPTH + 1);
      world.writeChainsFile();
      world.dashboard = await startApplication({ name: 'dashboard', env: world.env });
      await makeEventStream({ NATS_URL: nats.url });
      world.settlement = await startApplication({ name: 'settlement', env: world.env });
      await until(async () => (await world.query('SELECT 1 FROM ledger.wallets')).length > 0, 'books of the chain');
      return world;
    } catch (error) {
      await world.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    // Newest first; also what a test has left stopped.
    for (const app of [this.settlement, this.dashboard]) {
      if (app) signal(app, 'SIGCONT');
      await app?.stop();
    }
    await this.receiver.stop();
    await this.pool.end();
    await this.nats.stop();
    await this.chain.stop();
    await this.postgres.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  get databaseUrl(): string {
    return this.postgres.url;
  }

  /** Runs a command of an app as an operator does. @returns what it said */
  async command(app: string, file: string, ...args: string[]): Promise<string> {
    const env = { PATH: process.env['PATH'], ...this.env };
    return (await execute(process.execPath, [builtFile(app, file), ...args], { env })).stdout;
  }

  /**
   * Kills nats-server with SIGKILL in the middle of things and deletes all that it kept. Both apps stand still until
   * it is certain that this costs something: the dashboard has not yet taken all that is in the stream, and
   * settlement has more for it.
   */
  async killNatsAtWork(): Promise<void> {
    await until(async () => (await this.backlog()).read > 0, 'events read');
    signal(this.dashboard, 'SIGSTOP');
    await until(async () => (await this.backlog()).unread > MAX_TAKEN, 'events in the stream only');
    signal(this.settlement, 'SIGSTOP');
    await until(async () => (await this.backlog()).unpublished > 0, 'events in the outbox only');
    process.kill(this.nats.pid, 'SIGKILL');
    await this.nats.stop();
    rmSync(join(this.folder, 'nats'), { recursive: true, force: true });
    for (const app of [this.settlement, this.dashboard]) signal(app, 'SIGCONT');
  }

  /** At the address that the apps know, with nothing in it but the stream that an operator made again. */
  async startEmptyNats(): Promise<void> {
    const { port } = this.nats;
    this.nats = await startNats({ dataDir: join(this.folder, 'nats'), port });
    if (this.nats.port !== port) throw new Error(`somebody else has port ${port} now`);
    await makeEventStream({ NATS_URL: this.nats.url });
  }

  /** Until every event is published, and both consumers of the dashboard are done with all of them. */
  async untilQuiet(): Promise<void> {
    const connection = await connect({ servers: this.nats.url });
    try {
      const manager = await connection.jetstreamManager();
      const isDone = async (name: string) => {
        const info = await manager.consumers.info(SPONSORSHIP_STREAM, name).catch(() => undefined);
        return info !== undefined && info.num_pending + info.num_ack_pending === 0;
      };
      await until(async () => (await this.backlog()).unpublished === 0, 'events published');
      for (const name of CONSUMERS) await until(() => isDone(name), `events read by ${name}`);
    } finally {
      await connection.close();
    }
  }

  async query<T extends object>(text: string, values: unknown[] = []): Promise<T[]> {
    return (await this.pool.query<T>(text, values)).rows;
  }

  private async backlog(): Promise<{ unpublished: number; unread: number; read: number }> {
    const [row] = await this.query<{ unpublished: number; unread: number; read: number }>(
      `SELECT (count(*) FILTER (WHERE o.published_at IS NULL))::int AS unpublished,
              (count(*) FILTER (WHERE o.published_at IS NOT NULL AND c.event_id IS NULL))::int AS unread,
              count(c.event_id)::int AS read
         FROM ledger.outbox o LEFT JOIN dashboard.consumed_events c USING (event_id)`,
    );
    return row ?? { unpublished: 0, unread: 0, read: 0 };
  }

  private get env(): Record<string, string> {
    return {
      DATABASE_URL: this.postgres.url,
      NATS_URL: this.nats.url,
      CHAINS_FILE: join(this.folder, 'chains.json'),
      POLL_INTERVAL_MS: '100',
      QUIET_POLL_INTERVAL_MS: '100',
      API_KEY_INDEX_KEY: '11'.repeat(32),
      API_KEY_ENCRYPTION_KEY: '22'.repeat(32),
      WEBHOOK_SIGNING_KEY: '33'.repeat(32),
      WEBHOOK_ALLOW_INSECURE: 'true',
      LOG_LEVEL: 'warn',
    };
  }

  private writeChainsFile(): void {
    const chain = {
      ...{ chainId: CHAIN_ID, name: 'test', rpcUrls: [this.chain.url], bundlerUrl: 'http://127.0.0.1:1' },
      ...{ entryPoints: this.chain.entryPoints, blockTimeSeconds: 1, finality: { depth: FINALITY_DEPTH } },
    };
    writeFileSync(join(this.folder, 'chains.json'), JSON.stringify({ chains: [chain] }));
  }
}

function signal({ pid }: Application, name: NodeJS.Signals): void {
  process.kill(pid, name);
}
