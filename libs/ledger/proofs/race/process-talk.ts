import { writeSync } from 'node:fs';
import type { Address } from '@paymaster/domain';
import type { ModelOperation } from '../../src/settlement/testing/model-chain';
import type { Random } from '../../src/settlement/testing/random';

/** What a process of the race is started with. */
export interface RaceJob {
  readonly databaseUrl: string;
  readonly nodeUrl: string;
  /** The seed of the race, which determines the limits. */
  readonly seed: number;
  /** The seed of this process, which determines what it does. */
  readonly ownSeed: number;
  /** How often the process ends or stops itself in the middle of its work: once in this many statements. */
  readonly selfHarmOneIn: number;
}

/** A signature that the gateway has given away; amounts are decimal text. */
export interface RaceSignature extends Record<
  keyof Omit<ModelOperation, 'userOpHash' | 'nonce' | 'prechargeWei' | 'validUntilSeconds'>,
  string
> {
  readonly reservationId: string;
  readonly requestId: string;
  readonly nonce: string;
  readonly prechargeWei: string;
  readonly validUntilSeconds: number;
  /** The token in which the operation should pay, if it may fail to pay. */
  readonly token?: Address;
}

/** Counted among the reasons of refusals, for requests that the database did not answer. */
export const NOT_ANSWERED = 'notAnswered';

/** A line that a process writes. */
export type RaceLine =
  | { readonly ready: true }
  | { readonly signed: RaceSignature }
  | { readonly refused: Readonly<Record<string, number>> }
  | { readonly fault: { readonly message: string; readonly code?: string; readonly cause: string } }
  /** The process is about to stop itself, so the race has to wake it up. */
  | { readonly stopping: true };

export function readJob(): RaceJob {
  endWithStarter();
  return JSON.parse(process.argv[2]!) as RaceJob;
}

/** Writes the line before it returns, so that the line is complete if the process is killed right afterwards. */
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
