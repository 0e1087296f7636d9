/**
 * A gateway that only reserves: it reserves random operations of a plan until it is killed. race-processes.ts starts it
 * as a separate process. It writes each signature that it would give as a line to stdout, and each fault as a line to
 * stderr.
 */
import { DatabaseError } from 'pg';
import { openLedger } from '../gateway/open-ledger';
import type { RacePlan } from './race-plan';
import { randomRequest } from './race-plan';
import { Random } from './random';

export interface RaceWorkerArguments {
  readonly databaseUrl: string;
  readonly plan: RacePlan;
  readonly seed: number;
  /** Requests in flight. */
  readonly concurrency: number;
}

/** A signature that was given away. */
export interface RaceSignature {
  readonly reservationId: string;
  readonly prechargeWei: string;
  readonly validUntilSeconds: number;
}

const { databaseUrl, plan, seed, concurrency } = JSON.parse(process.argv[2]!) as RaceWorkerArguments;
const random = new Random(seed);
const ledger = openLedger({
  databaseUrl,
  // Enough for a new connection on a busy machine.
  poolWaitMs: 2_500,
  onFault: (message, cause) => {
    const code = cause instanceof DatabaseError ? cause.code : undefined;
    process.stderr.write(`${JSON.stringify({ message, code, cause: String(cause) })}\n`);
  },
});

async function race(): Promise<never> {
  for (;;) {
    const request = randomRequest(plan, random);
    try {
      const reservationId = await ledger.reserve(request);
      const signature: RaceSignature = {
        reservationId,
        prechargeWei: String(request.prechargeWei),
        validUntilSeconds: request.validUntilSeconds,
      };
      process.stdout.write(`${JSON.stringify(signature)}\n`);
    } catch {
      // Refused or unavailable: nothing is signed.
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
}

for (let index = 0; index < concurrency; index++) void race();
