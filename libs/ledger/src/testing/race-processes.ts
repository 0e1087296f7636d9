import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RacePlan } from './race-plan';
import type { RaceSignature, RaceWorkerArguments } from './race-worker';
import type { Random } from './random';

export interface RaceFault {
  readonly message: string;
  /** SQLSTATE, where Postgres answered. */
  readonly code?: string;
  readonly cause: string;
}

/** Gateways that reserve, each in a separate process. */
export class RaceProcesses {
  readonly signatures: RaceSignature[] = [];
  readonly faults: RaceFault[] = [];
  killed = 0;
  paused = 0;
  private workers: ChildProcess[] = [];
  /**
   * Processes that have signed something. Processes that are still starting are not killed, because on a busy machine
   * the race would never progress.
   */
  private readonly working = new WeakSet<ChildProcess>();
  private isOver = false;

  constructor(
    private readonly race: { readonly databaseUrl: string; readonly plan: RacePlan; readonly concurrency: number },
    private readonly random: Random,
  ) {}

  start(count: number): void {
    for (let index = 0; index < count; index++) this.startOne();
  }

  /**
   * Now and then kills (SIGKILL, a successor starts) or pauses (SIGSTOP, SIGCONT) a random process, until it is enough.
   */
  async disturb(isEnough: () => boolean): Promise<void> {
    while (!isEnough() && !this.isOver) {
      await sleep(this.random.integer(50, 400));
      const ready = this.workers.filter((worker) => this.working.has(worker));
      if (ready.length === 0 || this.isOver) continue;
      const worker = this.random.of(ready);
      if (this.random.chance(0.3)) await this.replace(worker);
      else await this.pause(worker);
    }
  }

  /** Kills all processes and waits for the rest of their output. */
  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.workers.map((worker) => end(worker)));
    this.workers = [];
  }

  private async replace(worker: ChildProcess): Promise<void> {
    this.killed++;
    this.workers = this.workers.filter((other) => other !== worker);
    this.startOne();
    await end(worker);
  }

  private async pause(worker: ChildProcess): Promise<void> {
    this.paused++;
    worker.kill('SIGSTOP');
    await sleep(this.random.integer(20, 1_300));
    worker.kill('SIGCONT');
  }

  private startOne(): void {
    const job: RaceWorkerArguments = { ...this.race, seed: this.random.integer(0, 2 ** 31) };
    const worker = spawn(
      process.execPath,
      ['-r', '@swc-node/register', join(__dirname, 'race-worker.ts'), JSON.stringify(job)],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    readLines(worker, 'stdout', (line) => {
      this.signatures.push(line as RaceSignature);
      this.working.add(worker);
    });
    readLines(worker, 'stderr', (line) => this.faults.push(line as RaceFault));
    this.workers.push(worker);
  }
}

/** The last line of a killed process may be incomplete. That signature was never given away. */
function readLines(worker: ChildProcess, from: 'stdout' | 'stderr', take: (value: unknown) => void): void {
  createInterface({ input: worker[from]! }).on('line', (line) => {
    try {
      take(JSON.parse(line));
    } catch {
      if (from === 'stderr') take({ message: line, cause: line });
    }
  });
}

async function end(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  const closed = new Promise((resolve) => worker.once('close', resolve));
  worker.kill('SIGKILL');
  await closed;
}
