import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { DashboardClient, DEV_KEYS, seedPaymaster } from '@paymaster/devnet';
import type { UserOperationV06 } from '@paymaster/domain';
import { until } from '@paymaster/domain/testing';
import { openSettlementBooks } from '@paymaster/ledger/settlement';
import { CHAIN_ID, ROOMY_CAPS, startFaultWorld, type FaultWorld } from './fault-world';
import { askOnce, Load, type Answer } from './load';
import { newOperation, SignatureCheck, VALID_FOR_SECONDS } from './operations';

/** Requests a second, where a row does not need more: few, for a machine that does other things too. */
const PER_SECOND = 10;
const PATIENCE_MS = 120_000;
/** How a machine answers that has little else to do. */
const CALM_P99_MS = 200;
const CALM_WITHIN_MS = 30_000;

interface DashboardRequest {
  /** Base URL; the first one when absent. */
  readonly dashboard?: string;
  readonly apiKey?: string;
  readonly body?: object;
}

/** The world with what rows do in it and ask of it. */
export class FaultScene {
  private careful: string | undefined;

  private constructor(
    readonly world: FaultWorld,
    private readonly check: SignatureCheck,
  ) {}

  static async open(): Promise<FaultScene> {
    const world = await startFaultWorld();
    const scene = new FaultScene(world, await SignatureCheck.create({ chainId: CHAIN_ID, paymaster: world.contract }));
    try {
      await scene.untilWell();
      return scene;
    } catch (error) {
      await world.stop();
      throw error;
    }
  }

  /**
   * Lets clients ask for signatures while something happens; then looks at everything that was answered.
   *
   * @param gateways where they ask; both by default
   * @returns what `happens` returned, when no signature was wrong and every one is held once in books that are right
   */
  async underLoad<T>(
    happens: (load: Load) => Promise<T>,
    options: { gateways?: () => readonly string[]; apiKey?: string; perSecond?: number } = {},
  ): Promise<T> {
    const { apiKey = this.world.paymaster.apiKey, perSecond = PER_SECOND } = options;
    const gateways = options.gateways ?? (() => this.world.gateways.map(({ url }) => url));
    const { demo } = this.world;
    const load = new Load({ gateways, apiKey, chainId: CHAIN_ID, perSecond, demo, check: this.check });
    let result: T;
    try {
      result = await happens(load);
    } finally {
      await load.stop();
    }
    await this.assertBooks(load.answers);
    return result;
  }

  /** One request at a gateway: for a new operation, or for one that was asked for before. */
  async ask(gateway: string, request: { operation?: UserOperationV06; apiKey?: string } = {}): Promise<Answer> {
    const { operation = newOperation(this.world.demo), apiKey = this.world.paymaster.apiKey } = request;
    const agent = new Agent();
    try {
      const url = `${gateway}/api/v2/${CHAIN_ID}/${apiKey}`;
      return await askOnce({ url, gateway, operation, check: this.check, agent });
    } finally {
      agent.destroy();
    }
  }

  /** A request of the owner's, to a dashboard. @throws when it is refused */
  async dashboard<T>(method: string, path: string, request: DashboardRequest = {}): Promise<T> {
    const { status, message, data } = await this.tryDashboard(method, path, request);
    if (status !== 200) throw new Error(`${method} ${path}: ${status} ${message}`);
    return data as T;
  }

  /** The same, which never rejects: status 0 is no answer. */
  async tryDashboard(
    method: string,
    path: string,
    { dashboard = this.world.dashboards[0]!.url, apiKey, body }: DashboardRequest = {},
  ): Promise<{ status: number; message: string; data?: unknown }> {
    const headers = {
      authToken: this.world.authToken,
      ...(apiKey !== undefined && { apiKey }),
      ...(body && { 'content-type': 'application/json' }),
    };
    try {
      const response = await fetch(`${dashboard}/api/v2/public/sdk/${path}`, {
        ...{ method, headers },
        ...(body && { body: JSON.stringify(body) }),
      });
      const answer = (await response.json()) as { message: string; data?: unknown };
      return { status: response.status, message: answer.message, data: answer.data };
    } catch (error) {
      return { status: 0, message: String(error) };
    }
  }

  /** One more paymaster that sponsors the demo contract from the same wallet. @returns its API key */
  async newPaymaster(settings: object = {}): Promise<string> {
    const { apiKey } = await seedPaymaster({
      dashboard: new DashboardClient(this.world.dashboards[0]!.url, this.world.authToken),
      name: `faults ${randomUUID()}`,
      chainId: CHAIN_ID,
      demoContract: this.world.demo.address,
      fundingWallet: DEV_KEYS.fundingWallet,
    });
    await this.dashboard('PATCH', 'paymaster-settings', { apiKey, body: { ...ROOMY_CAPS, ...settings } });
    return apiKey;
  }

  /** The same, whose verdict on every account of the load needs a look at the chain: it refuses them. */
  async carefulPaymaster(): Promise<string> {
    this.careful ??= await this.newPaymaster({ requireKnownAccounts: true });
    const { careful } = this;
    await this.until('the careful paymaster judges', async () => {
      const answers = await Promise.all(this.world.gateways.map(({ url }) => this.ask(url, { apiKey: careful })));
      return answers.every(({ outcome, detail }) => outcome === 'refused' && !detail.startsWith('-32011'));
    });
    return careful;
  }

  /** Seconds between blocks from now on; 0 for none. */
  async mineEvery(seconds: number): Promise<void> {
    await this.world.chain.reader.request({ method: 'anvil_setIntervalMining', params: [seconds] } as never);
  }

  /** Good networks, honest providers, and everything up. */
  async heal(): Promise<void> {
    const { postgres, nats, providers } = this.world;
    for (const proxy of [...Object.values(postgres), ...Object.values(nats)]) proxy.become({ kind: 'pass' });
    for (const provider of providers) provider.beHonest();
    await this.untilWell();
    await this.untilCalm();
  }

  /** A machine that cannot serve clients without a fault either says nothing about one: it gets a while. */
  private async untilCalm(): Promise<void> {
    for (const end = performance.now() + CALM_WITHIN_MS; performance.now() < end;) {
      const answers = await this.underLoad(
        async (load) => {
          await sleep(1_000);
          return load.answers;
        },
        { perSecond: 20 },
      );
      if (successPercent(answers) === 100 && p99Ms(answers) < CALM_P99_MS) return;
    }
  }

  /** Until every gateway signs and all is ready again, so that no row starts with what the one before it left. */
  async untilWell(): Promise<void> {
    const { gateways, dashboards } = this.world;
    await this.until('every process is ready', async () => {
      const ready = await Promise.all([...gateways, ...dashboards].map((each) => each.isReady()));
      return ready.every(Boolean);
    });
    await this.until('every gateway signs', async () => {
      const answers = await Promise.all(gateways.map(({ url }) => this.ask(url)));
      return answers.every(({ outcome }) => outcome === 'signed');
    });
  }

  /** @throws when it did not happen in two minutes */
  async until(what: string, condition: () => Promise<boolean>, withinMs = PATIENCE_MS): Promise<void> {
    await until(condition, what, withinMs);
  }

  /** Time of the newest block; unix seconds. */
  async chainSeconds(): Promise<number> {
    const { timestamp } = await this.world.chain.reader.getBlock();
    return Number(timestamp);
  }

  /** How old the head was that a signature counted from; seconds at the time it was answered, about. */
  headAgeSeconds(answer: Answer, chainSecondsThen: number): number {
    return chainSecondsThen - (answer.validUntilSeconds! - VALID_FOR_SECONDS);
  }

  /** Asks Postgres itself, past every bad network. */
  async rows<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    const client = new Client({ connectionString: this.world.servers.postgres.url });
    await client.connect();
    try {
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  /** Operations that hold money more than once. */
  async heldTwice(): Promise<number> {
    const rows = await this.rows(
      `SELECT sender, nonce FROM ledger.reservations WHERE closed_at IS NULL GROUP BY 1, 2 HAVING count(*) > 1`,
    );
    return rows.length;
  }

  /** Differences between the books' entries, holds and balances. */
  async booksFindings(): Promise<readonly unknown[]> {
    const books = openSettlementBooks({ databaseUrl: this.world.servers.postgres.url });
    try {
      return await books.verifyBooks();
    } finally {
      await books.close();
    }
  }

  /** @throws when a signature is wrong, is held by nothing or twice, or the books do not add up */
  private async assertBooks(answers: readonly Answer[]): Promise<void> {
    const wrong = answers.filter(({ outcome }) => outcome === 'wrong');
    if (wrong.length > 0) throw new Error(`${wrong.length} wrong answers, the first: ${wrong[0]!.detail}`);
    const senders = answers.filter(({ outcome }) => outcome === 'signed').map(({ operation }) => operation.sender);
    const held = await this.rows<{ sender: string }>(
      'SELECT DISTINCT sender FROM ledger.reservations WHERE sender = ANY($1)',
      [senders],
    );
    if (held.length !== senders.length)
      throw new Error(`${senders.length - held.length} of ${senders.length} signatures have no reservation`);
    const findings = [...(await this.booksFindings()), ...Array<string>(await this.heldTwice()).fill('held twice')];
    if (findings.length > 0) throw new Error(`the books are wrong: ${JSON.stringify(findings.slice(0, 3))}`);
  }
}

/** Share of answers that are signatures; per cent. */
export function successPercent(answers: readonly Answer[]): number {
  if (answers.length === 0) return 0;
  return (answers.filter(({ outcome }) => outcome === 'signed').length * 100) / answers.length;
}

/** The slowest but one in a hundred; milliseconds. */
export function p99Ms(answers: readonly Answer[]): number {
  const sorted = answers.map(({ askedMs, answeredMs }) => answeredMs - askedMs).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? 0;
}
