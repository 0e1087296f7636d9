import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable, Optional } from '@nestjs/common';
import { whenOver } from '@paymaster/nest-kit';
import { TooManyRequestsError } from '../../platform/http/dashboard-errors';

/**
 * The most that may wait per account: an eighth of the bytes that a process keeps of bodies, and few enough requests
 * that the last one does not wait too long.
 */
const MOST_WAITING = { bytes: 4 * 2 ** 20, requests: 64 };
/**
 * After each request, the account pauses for this many times as long as the request took. So an account gets a tenth of
 * the process.
 */
const REST_FACTOR = 9;
/** The longest pause, even if the request was slow because of the database. */
const LONGEST_REST_MS = 1_000;
/**
 * The pause is also long enough that bodies and answers of one account stay below this rate, because reading and
 * writing them takes time too. 4 MiB/s.
 */
const BYTES_PER_MS = 4_194;
const RETRY_AFTER_SECONDS = 1;

/**
 * The large requests of one account: one is being processed (or its pause runs), the others wait in the order of
 * arrival.
 */
interface Line {
  bytes: number;
  readonly waiting: Set<() => void>;
}

export interface TurnRequest {
  readonly accountId: string;
  /** Size of the body that stays in memory while the request waits. */
  readonly bytes: number;
  /** When its connection closes, the request stops waiting. */
  readonly response: ServerResponse;
}

/**
 * Makes the large requests of an account take turns. While the process parses a large body, all other requests wait. So
 * each account gets one large request at a time, with pauses in which others are served.
 */
@Injectable()
export class AccountTurns {
  private readonly lines = new Map<string, Line>();
  private readonly checks = new WeakMap<IncomingMessage, () => Promise<unknown>>();

  constructor(@Optional() private readonly nowMs: () => number = () => performance.now()) {}

  /**
   * Says how to find out again whether the caller of a request may do what it asks for.
   *
   * @param check rejects when the caller's token or session has ended meanwhile, or the role does not allow it any more
   */
  checkAfterWaiting(request: IncomingMessage, check: () => Promise<unknown>): void {
    this.checks.set(request, check);
  }

  /**
   * Waits for the account's turn. A request that had to wait is checked again, because its caller's rights may have
   * ended in that time.
   *
   * @returns a function to call when the request is done; its argument is the number of bytes of body and answer
   *   together
   * @throws {TooManyRequestsError} when too many requests of the account wait already, or the client has closed its
   *   connection; what {@link checkAfterWaiting} was given throws
   */
  async begin({ accountId, bytes, response }: TurnRequest): Promise<(bytes: number) => void> {
    const line = this.lines.get(accountId);
    if (line) {
      await waitIn(line, bytes, response);
      await this.checkAgain(accountId, response.req);
    } else this.lines.set(accountId, { bytes: 0, waiting: new Set() });
    const startedMs = this.nowMs();
    return (moved) => {
      const tookMs = this.nowMs() - startedMs;
      const restMs = Math.max(Math.min(tookMs * REST_FACTOR, LONGEST_REST_MS), moved / BYTES_PER_MS);
      setTimeout(() => this.next(accountId), restMs).unref();
    };
  }

  /** A request that is refused now has done no work, so the next one begins at once. */
  private async checkAgain(accountId: string, request: IncomingMessage): Promise<void> {
    try {
      await this.checks.get(request)?.();
    } catch (error) {
      this.next(accountId);
      throw error;
    }
  }

  private next(accountId: string): void {
    const [turn] = this.lines.get(accountId)?.waiting ?? [];
    if (turn) turn();
    else this.lines.delete(accountId);
  }
}

async function waitIn(line: Line, bytes: number, response: ServerResponse): Promise<void> {
  if (line.waiting.size >= MOST_WAITING.requests || line.bytes + bytes > MOST_WAITING.bytes) {
    throw new TooManyRequestsError(RETRY_AFTER_SECONDS);
  }
  line.bytes += bytes;
  await new Promise<void>((resolve, reject) => {
    const leave = (then: () => void): void => {
      if (!line.waiting.delete(turn)) return;
      line.bytes -= bytes;
      then();
    };
    const turn = (): void => {
      forget();
      leave(resolve);
    };
    line.waiting.add(turn);
    const forget = whenOver(response, () => leave(() => reject(new TooManyRequestsError(RETRY_AFTER_SECONDS))));
  });
}
