import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../settlement/testing/random';
import type { RaceJob, RaceLine, RaceSignature } from './process-talk';

export interface RaceFault {
  readonly message: string;
  /** SQLSTATE, where Postgres answered. */
  readonly code?: string;
  readonly cause: string;
}

type Role = 'gateway' | 'settlement';

const SELF_HARM_ONE_IN: Readonly<Record<Role, number>> = { gateway: 2_500, settlement: 400 };
/** A process that stopped itself and was woken up too early is woken up again. */
const WAKE_EVERY_MS = 1_000;

interface Runner {
  readonly role: Role;
  readonly process: ChildProcess;
  isPaused: boolean;
  /** It works; whoever only starts is left alone, or nobody would get anywhere on a busy machine. */
  isReady: boolean;
}

/** Gateways and settlements, each a process of its own; one that is killed has a successor. */
export class RaceProcesses {
  readonly faults: RaceFault[] = [];
  readonly refused: Record<string, number> = {};
  readonly killed: Record<Role, number> = { gateway: 0, settlement: 0 };
  readonly paused: Record<Role, number> = { gateway: 0, settlement: 0 };
  private readonly runners = new Set<Runner>();
  private readonly waker: NodeJS.Timeout;
  private isOver = false;

  constructor(
    private readonly race: Pick<RaceJob, 'databaseUrl' | 'nodeUrl' | 'seed'>,
    private readonly random: Random,
    private readonly onSignature: (signature: RaceSignature) => void,
  ) {
    this.waker = setInterval(() => {
      for (const { process, isPaused } of this.runners) if (!isPaused) process.kill('SIGCONT');
    }, WAKE_EVERY_MS);
  }

  start(role: Role, count: number): void {
    for (let index = 0; index < count; index++) this.startOne(role);
  }

  /** Whether everybody works. */
  areReady(): boolean {
    return [...this.runners].every(({ isReady }) => isReady);
  }

  /** Kills and pauses at random until `work` is done. */
  async disturb(isDone: () => boolean): Promise<void> {
    while (!isDone()) {
      await sleep(this.random.int(100, 900));
      const ready = [...this.runners].filter(({ isReady, isPaused }) => isReady && !isPaused);
      // Where starting takes long, at least half of them work, or the race would not get anywhere.
      if (ready.length < this.runners.size / 2) continue;
      const runner = this.random.pick(ready);
      if (this.random.chance(0.35)) runner.process.kill('SIGKILL');
      else void this.pause(runner, true);
    }
  }

  /** Ends all processes of a role, or all, at once and for good. */
  async stop(role?: Role): Promise<void> {
    this.isOver ||= role === undefined;
    if (this.isOver) clearInterval(this.waker);
    const ending = [...this.runners].filter((each) => role === undefined || each.role === role);
    for (const runner of ending) this.runners.delete(runner);
    await Promise.all(ending.map(({ process }) => end(process)));
  }

  /** Sometimes for longer than a transaction or a lease lives. */
  private async pause(runner: Runner, isOurs: boolean): Promise<void> {
    this.paused[runner.role]++;
    runner.isPaused = true;
    if (isOurs) runner.process.kill('SIGSTOP');
    await sleep(this.random.chance(0.15) ? this.random.int(1_500, 3_000) : this.random.int(20, 700));
    runner.process.kill('SIGCONT');
    runner.isPaused = false;
  }

  private startOne(role: Role): void {
    const job: RaceJob = { ...this.race, ownSeed: this.random.int(0, 2 ** 31), selfHarmOneIn: SELF_HARM_ONE_IN[role] };
    const script = join(__dirname, `${role}.process.ts`);
    const child = spawn(process.execPath, ['-r', '@swc-node/register', script, JSON.stringify(job)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const runner: Runner = { role, process: child, isPaused: false, isReady: false };
    this.runners.add(runner);
    createInterface({ input: child.stdout }).on('line', (line) => this.hear(runner, line));
    createInterface({ input: child.stderr }).on('line', (cause) => this.faults.push({ message: `a ${role}`, cause }));
    child.once('exit', (_code, signal) => {
      if (!this.runners.delete(runner)) return;
      if (signal === 'SIGKILL') this.killed[role]++;
      if (!this.isOver) this.startOne(role);
    });
  }

  /** A process that was killed ends in the middle of a line: what it was about to say never left. */
  private hear(runner: Runner, line: string): void {
    let said: RaceLine;
    try {
      said = JSON.parse(line) as RaceLine;
    } catch {
      return;
    }
    if ('ready' in said) runner.isReady = true;
    else if ('signed' in said) this.onSignature(said.signed);
    else if ('fault' in said) this.faults.push(said.fault);
    else if ('stopping' in said) void this.pause(runner, false);
    else for (const [why, count] of Object.entries(said.refused)) this.refused[why] = (this.refused[why] ?? 0) + count;
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGKILL');
  await closed;
}
