import { setTimeout as sleep } from 'node:timers/promises';
import { ClientConnection, RequestLost, type Reply } from './client-connection';

/** A request with what tells its answer from a wrong one. */
export interface LoadRequest {
  readonly bytes: Buffer;
  /** @throws when the reply is not the answer, saying why */
  check(reply: Reply): void;
}

/** What became of one request; times are milliseconds of `performance.now()`. */
export interface Outcome<Request> {
  readonly request: Request;
  readonly dueMs: number;
  /** Later than due when the connection was not there yet; 0 when it never was. */
  readonly sentMs: number;
  readonly endMs: number;
  readonly connection: 'kept' | 'new';
  /** The client's port, by which the balancer knows the connection; 0 when there was none. */
  readonly port: number;
  /** Undefined when the answer was right. */
  readonly failure: string | undefined;
}

/** A reply after the client had given up. */
export interface LateReply<Request> {
  readonly request: Request;
  readonly sentMs: number;
  readonly receivedMs: number;
  readonly reply: Reply;
}

export interface LoadOptions<Request extends LoadRequest> {
  readonly port: number;
  readonly perSecond: number;
  /** How many connections are kept; they take turns. */
  readonly connections: number;
  /** Each so many-th request makes a connection of its own. */
  readonly newEach: number;
  /** How long the client waits for an answer; milliseconds. */
  readonly patienceMs: number;
  readonly next: () => Request;
}

interface Flying {
  readonly dueMs: number;
  port: number;
}

/**
 * Requests at a constant rate, whatever the servers do, over connections that are kept and over new ones. Nothing is
 * sent twice; a connection that is gone is replaced before the next request of its turn.
 */
export class Load<Request extends LoadRequest> {
  readonly outcomes: Array<Outcome<Request>> = [];
  readonly lateReplies: Array<LateReply<Request>> = [];
  private readonly idle: ClientConnection[] = [];
  private readonly open = new Set<ClientConnection>();
  private readonly flying = new Set<Flying>();
  private running: Promise<void> = Promise.resolve();
  private isStopped = false;
  private kept = 0;
  private sent = 0;

  constructor(private readonly options: LoadOptions<Request>) {}

  start(): void {
    this.running = this.run();
  }

  /** Sends no more, and waits for what is under way. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.running;
    while (this.flying.size > 0) await sleep(20);
    for (const connection of this.open) connection.close();
  }

  /** Waits until it is known what became of all requests that were due by now. */
  async allKnown(): Promise<void> {
    const nowMs = performance.now();
    while ([...this.flying].some(({ dueMs }) => dueMs <= nowMs)) await sleep(20);
  }

  /** Client ports of requests that wait for their answer. */
  inFlight(): readonly number[] {
    return [...this.flying].map(({ port }) => port);
  }

  private async run(): Promise<void> {
    const startedAtMs = performance.now();
    const { perSecond } = this.options;
    while (!this.isStopped) {
      const nowMs = performance.now();
      for (;;) {
        const dueMs = startedAtMs + (this.sent * 1_000) / perSecond;
        if (dueMs > nowMs) break;
        this.sent += 1;
        void this.ask(dueMs, this.sent % this.options.newEach === 0 ? 'new' : 'kept');
      }
      await sleep(1);
    }
  }

  private async ask(dueMs: number, connection: 'kept' | 'new'): Promise<void> {
    const { next, patienceMs } = this.options;
    const request = next();
    const flying: Flying = { dueMs, port: 0 };
    this.flying.add(flying);
    let failure: string | undefined;
    let sentMs = 0;
    let client: ClientConnection | undefined;
    try {
      client = await this.connect(connection);
      flying.port = client.port;
      sentMs = performance.now();
      const late = (reply: Reply) =>
        void this.lateReplies.push({ request, sentMs, receivedMs: performance.now(), reply });
      request.check(await client.send(request.bytes, { timeoutMs: patienceMs, late }));
    } catch (error) {
      failure = error instanceof RequestLost ? error.kind : `wrong answer: ${(error as Error).message}`;
    }
    this.flying.delete(flying);
    this.outcomes.push({ request, dueMs, sentMs, connection, port: flying.port, endMs: performance.now(), failure });
    if (client) this.giveBack(client, connection);
  }

  private async connect(connection: 'kept' | 'new'): Promise<ClientConnection> {
    const { port, patienceMs, connections } = this.options;
    if (connection === 'kept' && this.kept >= connections) {
      // In turns: the one that rested longest, and replaced when its turn comes.
      for (let rested = this.idle.shift(); rested; rested = this.idle.shift()) {
        if (rested.isUsable) return rested;
        this.forget(rested, 'kept');
      }
    }
    const client = await ClientConnection.open(port, patienceMs);
    if (connection === 'kept') this.kept += 1;
    this.open.add(client);
    return client;
  }

  private giveBack(client: ClientConnection, connection: 'kept' | 'new'): void {
    if (connection === 'kept' && client.isUsable) this.idle.push(client);
    else this.forget(client, connection);
  }

  private forget(client: ClientConnection, connection: 'kept' | 'new'): void {
    if (connection === 'kept') this.kept -= 1;
    // What missed its deadline stays open for what may come late; all are closed in the end.
    if (client.isWaiting) return;
    this.open.delete(client);
    client.close();
  }
}
