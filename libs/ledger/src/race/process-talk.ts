import { writeSync } from 'node:fs';
import type { Address } from '@paymaster/domain';
import type { ModelOperation } from '../settlement/testing/model-chain';
import type { Random } from '../settlement/testing/random';

/** What a process of the race is started with. */
export interface RaceJob {
  readonly databaseUrl: string;
  readonly nodeUrl: string;
  /** Of the race: limits. */
  readonly seed: number;
  /** Of this process: what it does. */
  readonly ownSeed: number;
  /** How often it ends or stops itself in the middle of something; once in so many statements. */
  readonly selfHarmOneIn: number;
}

/** A signature that left; decimal text for amounts. */
export interface RaceSignature extends Record<
  keyof Omit<ModelOperation, 'userOpHash' | 'nonce' | 'prechargeWei' | 'validUntilSeconds'>,
  string
> {
  readonly reservationId: string;
  readonly requestId: string;
  readonly nonce: string;
  readonly prechargeWei: string;
  readonly validUntilSeconds: number;
  /** What the operation is to be paid in, where it may not be. */
  readonly token?: Address;
}

/** Stands among the reasons of refusals for requests that the database did not answer. */
export const NOT_ANSWERED = 'notAnswered';

/** A line that a process writes. */
export type RaceLine =
  | { readonly ready: true }
  | { readonly signed: RaceSignature }
  | { readonly refused: Readonly<Record<string, number>> }
  | { readonly fault: { readonly message: string; readonly code?: string; readonly cause: string } }
  /** It is about to stop itself, and somebody has to wake it up. */
  | { readonly stopping: true };

export function readJob(): RaceJob {
  endWithStarter();
  return JSON.parse(process.argv[2]!) as RaceJob;
}

/** Written before this returns: a process that is killed after it has said it. */
export function tell(line: RaceLine): void {
  const text = Buffer.from(`${JSON.stringify(line)}\n`);
  for (let written = 0; written < text.length;) {
    try {
      written += writeSync(1, text, written);
    } catch (error) {
      if ((error as { code?: string }).code !== 'EAGAIN') throw error;
    }
  }
}

/** Now and then this process ends (SIGKILL) or stops (SIGSTOP), right here. */
export function harmYourself(random: Random, oneIn: number): void {
  if (!random.chance(1 / oneIn)) return;
  if (random.chance(0.4)) process.kill(process.pid, 'SIGKILL');
  tell({ stopping: true });
  process.kill(process.pid, 'SIGSTOP');
}

/** Nothing is left running when the race itself is killed. */
function endWithStarter(): void {
  const starter = process.ppid;
  setInterval(() => {
    if (process.ppid !== starter) process.exit(1);
  }, 500).unref();
}
