import { Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { Attempt, DeliveryQueue } from './delivery-queue';
import { retryPauseMs } from './retry-schedule';

/** How often something due is looked for. */
const POLL_MS = 1_000;
/** Receivers served at once by this process; each one's messages go one after the other. */
const MAX_RECEIVERS_AT_ONCE = 32;
/** Of one account, however many paymasters it has: those that hang hold up nobody else's. */
const MAX_RECEIVERS_OF_AN_ACCOUNT = 4;
/** Messages of one receiver before the others get their turn. */
const MAX_IN_A_ROW = 50;

/** Sends what is due to receivers. Any number of processes may; a slow receiver holds up only itself. */
export abstract class ReceiversWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(this.constructor.name);
  private readonly served = new Map<string, Promise<void>>();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private stopped = false;

  protected constructor(private readonly queue: Pick<DeliveryQueue, 'dueReceivers'>) {}

  /** Whether the operator has set up what it takes. */
  protected abstract readonly isSetUp: boolean;

  /**
   * Tries the next due message of a receiver.
   *
   * @returns whether it was taken; a receiver that is down does not have to hear of the others as well
   */
  protected abstract serveNext(receiverId: string): Promise<boolean>;

  onApplicationBootstrap(): void {
    if (this.isSetUp) this.lookAgain();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.looking;
    await Promise.all(this.served.values());
  }

  private lookAgain(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.looking = this.look()
        .catch(({ message }: Error) => this.logger.warn({ problem: message }, 'deliveries cannot be read'))
        .finally(() => this.lookAgain());
    }, POLL_MS);
    this.timer.unref();
  }

  private async look(): Promise<void> {
    const free = MAX_RECEIVERS_AT_ONCE - this.served.size;
    if (free === 0) return;
    const due = await this.queue.dueReceivers({
      limit: free,
      perAccount: MAX_RECEIVERS_OF_AN_ACCOUNT,
      served: [...this.served.keys()],
    });
    for (const id of due) {
      const serving = this.serve(id)
        .catch(({ message }: Error) => this.logger.warn({ receiverId: id, problem: message }, 'a delivery was cut off'))
        .finally(() => this.served.delete(id));
      this.served.set(id, serving);
    }
  }

  private async serve(receiverId: string): Promise<void> {
    for (let sent = 0; sent < MAX_IN_A_ROW && !this.stopped; sent++) {
      if (!(await this.serveNext(receiverId))) return;
    }
  }
}

/** What comes after an attempt. @param attempts with this one */
export function afterAttempt(attempts: number, delivered: boolean): Pick<Attempt, 'status' | 'retryInMs'> {
  if (delivered) return { status: 'delivered', retryInMs: 0 };
  const retryInMs = retryPauseMs(attempts);
  return retryInMs === undefined ? { status: 'dead', retryInMs: 0 } : { status: 'pending', retryInMs };
}
