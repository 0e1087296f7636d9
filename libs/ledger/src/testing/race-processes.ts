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

/** Gateways that reserve, each in a process of its own. */
export class RaceProcesses {
  readonly signatures: RaceSignature[] = [];
  readonly faults: RaceFault[] = [];
  killed = 0;
  paused = 0;
  private workers: ChildProcess[] = [];
  /** Those that have signed something: who only starts is left alone, or nobody would get anywhere on a busy machine. */
  private readonly working = new WeakSet<ChildProcess>();
  private isOver = false;

  constructor(
    private readonly race: { readonly databaseUrl: string; readonly plan: RacePlan; readonly concurrency: number },
    private readonly random: Random,
  ) {}

  start(count: number): void {
    for (let index = 0; index < count; index++) this.startOne();
  }

  /** Kills (SIGKILL, a successor starts) or pauses (SIGSTOP, SIGCONT) one at random, now and then, until it is enough. */
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

  /** Kills all and waits for their last words. */
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

/** A process that was killed ends in the middle of a line. That signature never left. */
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
