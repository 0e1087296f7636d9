/** The client for which a turn is taken. */
export interface TurnTaker {
  readonly paymasterId: string;
  /** A name of the client's network; undefined if the owner lets one client have all turns. */
  readonly client: string | undefined;
}

/** How many turns may be taken at the same time; what is absent has no bound. */
export interface TurnBounds {
  readonly perClient?: number;
  readonly perPaymaster?: number;
  /** Over all paymasters. */
  readonly inAll?: number;
}

/** How many requests may wait for a turn, and how long. */
export type QueueBounds = TurnBounds & { readonly longestMs: number };

/** Which bound is reached. */
export type Taken = keyof TurnBounds;

interface Waiting {
  readonly taker: TurnTaker;
  readonly start: () => void;
}

/**
 * Turns at a resource that clients and paymasters share, bounded so that a busy client leaves turns to the others. A
 * client or paymaster that has no turn may take as many as one request needs. If there is a queue, the next turn goes
 * to the paymaster with the fewest turns; within it, to the client with the fewest turns; among equal clients, to the
 * client that had its turn longest ago. So a client that fills the queue waits behind the others.
 */
export class ClientTurns {
  private running = 0;
  private readonly ofPaymasters = new Map<string, number>();
  private readonly ofClients = new Map<string, number>();
  private readonly queue = new Set<Waiting>();
  private readonly queued: ClientTurns | undefined;

  constructor(
    private readonly bounds: TurnBounds,
    private readonly queueBounds?: QueueBounds,
  ) {
    this.queued = queueBounds && new ClientTurns(queueBounds);
  }

  /**
   * @returns the bound that is reached; undefined when the turns were taken. Then call {@link leave} to give them back
   */
  take(taker: TurnTaker, turns = 1): Taken | undefined {
    const taken = this.takenFor(taker, turns);
    if (taken === undefined) this.count(taker, turns);
    return taken;
  }

  /**
   * Waits for a turn.
   *
   * @param withinMs how long at most
   * @returns as {@link take}
   */
  takeWhenFree(taker: TurnTaker, withinMs: number): Taken | undefined | Promise<Taken | undefined> {
    const taken = this.take(taker);
    if (taken === undefined || !this.queueBounds || this.queued?.take(taker) !== undefined) return taken;
    const waitMs = Math.min(withinMs, this.queueBounds.longestMs);
    return new Promise((resolve) => {
      const end = (outcome: Taken | undefined): void => {
        clearTimeout(late);
        this.queue.delete(waiting);
        this.queued?.leave(taker);
        resolve(outcome);
      };
      const waiting: Waiting = { taker, start: () => end(undefined) };
      const late = setTimeout(() => end(this.takenFor(taker, 1) ?? taken), waitMs);
      this.queue.add(waiting);
    });
  }

  /**
   * Does the work in a turn.
   *
   * @param withinMs how long it waits for the turn at most
   * @throws what `refusal` makes of the bound that is still reached then
   */
  async run<T>(
    taker: TurnTaker,
    withinMs: number,
    { work, refusal }: { readonly work: () => Promise<T>; readonly refusal: (taken: Taken) => Error },
  ): Promise<T> {
    const coming = this.takeWhenFree(taker, withinMs);
    const taken = coming && (await coming);
    if (taken !== undefined) throw refusal(taken);
    try {
      return await work();
    } finally {
      this.leave(taker);
    }
  }

  leave(taker: TurnTaker, turns = 1): void {
    this.count(taker, -turns);
    for (let next = this.next(); next; next = this.next()) {
      this.count(next.taker, 1);
      next.start();
      this.moveBack(next.taker);
    }
  }

  private takenFor({ paymasterId, client }: TurnTaker, turns: number): Taken | undefined {
    const { perClient = Infinity, perPaymaster = Infinity, inAll = Infinity } = this.bounds;
    if (client !== undefined && isFull(this.ofClients.get(client), turns, perClient)) return 'perClient';
    if (isFull(this.ofPaymasters.get(paymasterId), turns, perPaymaster)) return 'perPaymaster';
    return isFull(this.running, turns, inAll) ? 'inAll' : undefined;
  }

  private count({ paymasterId, client }: TurnTaker, turns: number): void {
    this.running += turns;
    add(this.ofPaymasters, paymasterId, turns);
    if (client !== undefined) add(this.ofClients, client, turns);
  }

  private next(): Waiting | undefined {
    let best: Waiting | undefined;
    for (const waiting of this.queue) {
      if (this.takenFor(waiting.taker, 1) !== undefined) continue;
      if (!best || this.hasFewer(waiting.taker, best.taker)) best = waiting;
    }
    return best;
  }

  /** What else the client has in the queue counts as arrived now. */
  private moveBack({ paymasterId, client }: TurnTaker): void {
    for (const waiting of [...this.queue]) {
      if (waiting.taker.paymasterId !== paymasterId || waiting.taker.client !== client) continue;
      this.queue.delete(waiting);
      this.queue.add(waiting);
    }
  }

  private hasFewer(one: TurnTaker, other: TurnTaker): boolean {
    const ofPaymaster = ({ paymasterId }: TurnTaker): number => this.ofPaymasters.get(paymasterId) ?? 0;
    const ofClient = ({ client }: TurnTaker): number => this.ofClients.get(client ?? '') ?? 0;
    return (ofPaymaster(one) - ofPaymaster(other) || ofClient(one) - ofClient(other)) < 0;
  }
}

function isFull(taken = 0, turns: number, most: number): boolean {
  return taken > 0 && taken + turns > most;
}

function add(counts: Map<string, number>, key: string, turns: number): void {
  const count = (counts.get(key) ?? 0) + turns;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
