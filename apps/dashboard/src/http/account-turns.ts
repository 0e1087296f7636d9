import type { ServerResponse } from 'node:http';
import { Injectable, Optional } from '@nestjs/common';
import { whenOver } from '@paymaster/nest-kit';
import { TooManyRequestsError } from './dashboard-errors';

/** What may wait of one account: an eighth of what a process keeps of bodies, and so that it does not wait too long. */
const MOST_WAITING = { bytes: 4 * 2 ** 20, requests: 64 };
/** After each request its account rests for so many times as long as that took: so it has a tenth of the process. */
const REST_FACTOR = 9;
/** However long the database took. */
const LONGEST_REST_MS = 1_000;
/** And so that no more than this comes or goes: to read a body takes time as well, and to write an answer. 4 MiB/s. */
const BYTES_PER_MS = 4_194;
const RETRY_AFTER_SECONDS = 1;

/** The large requests of one account: one is at work or rests, the others wait in the order in which they came. */
interface Line {
  bytes: number;
  readonly waiting: Set<() => void>;
}

export interface TurnRequest {
  readonly accountId: string;
  /** What is kept of it while it waits. */
  readonly bytes: number;
  /** Who goes away waits no more. */
  readonly response: ServerResponse;
}

/**
 * Turns of an account's large requests. While something is made of one, everybody waits, so that an account may have
 * one at a time, and pauses between them: others are served meanwhile.
 */
@Injectable()
export class AccountTurns {
  private readonly lines = new Map<string, Line>();

  constructor(@Optional() private readonly nowMs: () => number = () => performance.now()) {}

  /**
   * Waits for the account's turn.
   *
   * @returns what has to be called when the request is done, with the bytes that came or go
   * @throws {TooManyRequestsError} when too much of the account waits already, or nobody waits for the answer any more
   */
  async begin({ accountId, bytes, response }: TurnRequest): Promise<(bytes: number) => void> {
    const line = this.lines.get(accountId);
    if (line) await waitIn(line, bytes, response);
    else this.lines.set(accountId, { bytes: 0, waiting: new Set() });
    const startedMs = this.nowMs();
    return (moved) => {
      const tookMs = this.nowMs() - startedMs;
      const restMs = Math.max(Math.min(tookMs * REST_FACTOR, LONGEST_REST_MS), moved / BYTES_PER_MS);
      setTimeout(() => this.next(accountId), restMs).unref();
    };
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
