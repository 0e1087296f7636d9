import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A request, ready to be sent. */
export interface PreparedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One connection that sends its requests one after the other, and again from the first. */
export interface Attacker {
  readonly requests: readonly PreparedRequest[];
  /** The least time from one to the next; 20 ms unless said otherwise. */
  readonly everyMs?: number;
}

export interface FairnessTrial {
  /** Base URL of the server. */
  readonly origin: string;
  /** Its process; this one unless said otherwise. */
  readonly pid?: number;
  readonly honest: readonly PreparedRequest[];
  readonly attackers: readonly Attacker[];
  /** The honest client sends a request whenever so much time has passed; 20 ms unless said otherwise. */
  readonly everyMs?: number;
  /** How often each half is played at most, and for how long. */
  readonly slices?: number;
  readonly sliceMs?: number;
}

export interface HonestAnswer {
  readonly status: number;
  /** The first 300 bytes of the body. */
  readonly text: string;
  /** How long it took. */
  readonly ms: number;
  /** For how long the server's event loop was at work meanwhile, for whomever. */
  readonly serverMs: number;
  /** For how long it would have been, and another process had the processor. */
  readonly waitedMs: number;
}

/** In slices. */
type Answers = ReadonlyArray<readonly HonestAnswer[]>;

interface FairnessResult {
  /** What the honest client got without attackers, and beside them. */
  readonly alone: Answers;
  readonly beside: Answers;
  /** How often the attackers got each status. */
  readonly attacked: Readonly<Record<string, number>>;
}

const LOWEST_PRIORITY = 19;
/** How long the attackers are at it before the honest client is looked at. */
const SWING_MS = 200;

/**
 * Plays an honest client in turn without attackers and beside them, so that whatever else the machine does meets both.
 * The slice where it is quickest counts: so a play ends when it is at most `quickMs` beside attackers who asked more than
 * once each. The clients are processes of their own.
 */
async function playBesideAttackers(
  { origin, pid = process.pid, honest, attackers, everyMs = 20, slices = 3, sliceMs = 1_000 }: FairnessTrial,
  quickMs: number,
): Promise<FairnessResult> {
  const [client, crowd] = [new Traffic(0), new Traffic(LOWEST_PRIORITY)];
  const ask = (forMs: number) =>
    client.play<HonestAnswer[]>('honest', { origin, pid, requests: honest, everyMs, forMs });
  const beside: HonestAnswer[][] = [];
  const attacked: Record<string, number> = {};
  try {
    // What the first requests compile is nobody's doing.
    const alone = [await ask(sliceMs)];
    for (let slice = 0; slice < slices; slice++) {
      await crowd.play('attack', { origin, attackers: attackers.map((each) => ({ everyMs: 20, ...each })) });
      await new Promise((resolve) => setTimeout(resolve, SWING_MS));
      beside.push(await ask(sliceMs));
      const statuses = await crowd.play<Record<string, number>>('stop');
      for (const [status, count] of Object.entries(statuses)) attacked[status] = (attacked[status] ?? 0) + count;
      const isQuick = Math.min(p99(beside, 'ms'), p99(beside, 'serverMs')) <= quickMs;
      if (isQuick && countOf(attacked) > attackers.length) break;
      alone.push(await ask(sliceMs));
    }
    return { alone, beside, attacked };
  } finally {
    await Promise.all([client.end(), crowd.end()]);
  }
}

/** How an honest client fares beside attackers. */
export interface Fairness {
  /** What was not answered with 200, or what `isServed` says instead. */
  readonly refused: readonly HonestAnswer[];
  /** How many times as long its p99 is beside them. */
  readonly timesAsLong: number;
  /** For the message of a test that fails. */
  readonly p99Ms: Readonly<Record<'alone' | 'beside' | 'serverAlone' | 'serverBeside' | 'waited', number>>;
  readonly attacked: Readonly<Record<string, number>>;
}

/** A request that waits once for another process on either side, two ticks of 4 ms, is no slower than that. */
const NOISE_MS = 10;

/** Without attackers an honest client waits longer than this only where other processes keep the machine busy. */
const QUIET_MS = 20;
/**
 * If the server waits longer than this for a processor, others keep the machine busy: the attackers give way to it.
 * Meanwhile requests pile up, and then each waits for the work of all: that makes both measures longer.
 */
const WAITED_MS = 8;
/** For how long a trial is played again because other processes keep the machine busy. */
const PATIENCE_MS = 120_000;

/**
 * How an honest client fares beside attackers. Where it is slower than `most`, the trial is played once more, and as long
 * as other processes keep the machine busy, again and again for up to two minutes. For the same reason the lower of two
 * measures counts: the time that passed, and for how long the server's event loop was at work while a request was open.
 */
export async function fairnessOf(
  trial: FairnessTrial & {
    readonly most: number;
    /** A p99 up to this is not longer, whatever it is without attackers; 0 unless said otherwise. */
    readonly unnoticedMs?: number;
    readonly isServed?: (answer: HonestAnswer) => boolean;
  },
): Promise<Fairness> {
  const beganMs = performance.now();
  // Whatever it takes without attackers, this is not slower than `most`.
  const quickMs = Math.max(trial.unnoticedMs ?? 0, trial.most * NOISE_MS);
  let quietPlays = 0;
  for (;;) {
    const fairness = measure(await playBesideAttackers(trial, quickMs), trial);
    if (fairness.timesAsLong <= trial.most || fairness.refused.length > 0) return fairness;
    if (fairness.p99Ms.alone <= QUIET_MS && fairness.p99Ms.waited <= WAITED_MS) quietPlays++;
    if (quietPlays === 2 || performance.now() - beganMs > PATIENCE_MS) return fairness;
  }
}

function measure(
  { alone, beside, attacked }: FairnessResult,
  {
    unnoticedMs = 0,
    isServed = ({ status }) => status === 200,
  }: { readonly unnoticedMs?: number; readonly isServed?: (answer: HonestAnswer) => boolean },
): Fairness {
  const times = (key: 'ms' | 'serverMs'): [number, number] => [p99(alone, key), p99(beside, key)];
  const [passed, server] = [times('ms'), times('serverMs')];
  const ratio = ([before, besides]: [number, number]): number =>
    besides <= unnoticedMs ? 1 : besides / Math.max(before, NOISE_MS);
  return {
    refused: [...alone.flat(), ...beside.flat()].filter((answer) => !isServed(answer)),
    timesAsLong: Math.min(ratio(passed), ratio(server)),
    p99Ms: {
      ...{ alone: passed[0], beside: passed[1], serverAlone: server[0], serverBeside: server[1] },
      waited: p99(beside, 'waitedMs'),
    },
    attacked,
  };
}

const countOf = (statuses: Readonly<Record<string, number>>): number =>
  Object.values(statuses).reduce((sum, count) => sum + count, 0);

/**
 * What 99 of 100 answers did not pass, in the slice where that is least: the attackers are at it in each slice, and what
 * else the machine does comes and goes.
 */
function p99(slices: Answers, key: 'ms' | 'serverMs' | 'waitedMs'): number {
  const p99s = slices.map((answers) => {
    const sorted = answers.map((answer) => answer[key]).sort((one, other) => one - other);
    return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? NaN;
  });
  return Math.min(...p99s);
}

/** A process of clients, which plays one thing at a time. */
class Traffic {
  private readonly child: ChildProcess;

  constructor(priority: number) {
    const program = join(__dirname, 'traffic.cjs');
    this.child = fork(program, [String(priority)], { serialization: 'advanced', execArgv: [] });
  }

  async play<T>(play: string, options: object = {}): Promise<T> {
    const told = once(this.child, 'message');
    this.child.send({ play, ...options });
    const [{ result, error }] = (await told) as [{ result: T; error?: string }];
    if (error !== undefined) throw new Error(error);
    return result;
  }

  async end(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.disconnect();
    await ended;
  }
}
