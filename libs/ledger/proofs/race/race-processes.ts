import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../src/settlement/testing/random';
import type { RaceJob, RaceLine, RaceSignature } from './process-talk';

export interface RaceFault {
  readonly message: string;
  /** SQLSTATE, where Postgres answered. */
  readonly code?: string;
  readonly cause: string;
}

type Role = 'gateway' | 'settlement';

const TYPESCRIPT = join(__dirname, '../../../../devnet/load-typescript.cjs');
const SELF_HARM_ONE_IN: Readonly<Record<Role, number>> = { gateway: 2_500, settlement: 400 };
/** If a process is woken up before it has stopped itself, it stays stopped; so it is woken up again. */
const WAKE_EVERY_MS = 1_000;

interface Runner {
  readonly role: Role;
  readonly process: ChildProcess;
  isPaused: boolean;
  /**
   * True once the process works. Processes that are still starting are not killed, because on a busy machine the race
   * would never progress.
   */
  isReady: boolean;
}

/** Gateways and settlements, each in a separate process. When one is killed, a successor starts. */
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

  /** Whether all processes work. */
  areReady(): boolean {
    return [...this.runners].every(({ isReady }) => isReady);
  }

  /** Kills and pauses at random until `work` is done. */
  async disturb(isDone: () => boolean): Promise<void> {
    while (!isDone()) {
      await sleep(this.random.int(100, 900));
      const ready = [...this.runners].filter(({ isReady, isPaused }) => isReady && !isPaused);
      // Kills none while fewer than half of the processes work: starting may take long, and the race would not
      // progress.
      if (ready.length < this.runners.size / 2) continue;
      const runner = this.random.pick(ready);
      if (this.random.chance(0.35)) runner.process.kill('SIGKILL');
      else void this.pause(runner, true);
    }
  }

  /** Ends all processes of a role (or all processes) at once; no successors start. */
  async stop(role?: Role): Promise<void> {
    this.isOver ||= role === undefined;
    if (this.isOver) clearInterval(this.waker);
    const ending = [...this.runners].filter((each) => role === undefined || each.role === role);
    for (const runner of ending) this.runners.delete(runner);
    await Promise.all(ending.map(({ process }) => end(process)));
  }

  /** The pause is sometimes longer than a transaction or a lease lives. */
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
    const child = spawn(process.execPath, ['-r', TYPESCRIPT, script, JSON.stringify(job)], {
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

  /** The last line of a killed process may be incomplete. What it would have reported did not leave the process. */
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
