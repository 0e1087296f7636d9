/** A gateway that only reserves, until it is killed. race-processes.ts starts it as a separate process. */
import { DependencyUnavailableError } from '@paymaster/domain';
import { DatabaseError } from 'pg';
import { openLedger } from '../../src/gateway/open-ledger';
import { randomOf } from '../../src/settlement/testing/random';
import { readHead } from './chain-node';
import { harmYourself, NOT_ANSWERED, readJob, tell } from './process-talk';
import { RaceRequests, type RaceRequest } from './race-requests';

const REQUESTS_IN_FLIGHT = 12;

const { databaseUrl, nodeUrl, seed, ownSeed, selfHarmOneIn } = readJob();
const random = randomOf(ownSeed);
const requests = new RaceRequests(seed, random);
const refused: Record<string, number> = {};
const ledger = openLedger({
  databaseUrl,
  // Long enough for a new connection on a busy machine. A process that is stopped for longer misses its deadlines in
  // any case.
  deadlineMs: 2_500,
  poolWaitMs: 2_500,
  onFault: (message, cause) => {
    const code = cause instanceof DatabaseError ? cause.code : undefined;
    tell({ fault: { message, ...(code !== undefined && { code }), cause: String(cause) } });
  },
});

async function main(): Promise<void> {
  let head = await readHead(nodeUrl);
  tell({ ready: true });
  for (let index = 0; index < REQUESTS_IN_FLIGHT; index++) void serve(() => head);
  setInterval(() => {
    tell({ refused: { ...refused } });
    for (const reason of Object.keys(refused)) delete refused[reason];
    readHead(nodeUrl).then(
      (now) => (head = now),
      () => process.exit(0),
    );
  }, 50);
}

async function serve(headNow: () => { number: number; timeSeconds: number }): Promise<never> {
  for (;;) {
    const request = requests.next(headNow());
    try {
      const reserved = ledger.reserve(request);
      reserved.catch(() => undefined);
      // Before, while or after the batch is sent.
      if (random.chance(0.5)) await new Promise((resolve) => setImmediate(resolve));
      harmYourself(random, selfHarmOneIn);
      sign(request, await reserved);
    } catch (error) {
      // The database did not answer, so there is no decision.
      const isAnswered = !(error instanceof DependencyUnavailableError && error.dependency === 'database');
      const { reason = 'UNAVAILABLE' } = isAnswered ? (error as { reason?: string }) : { reason: NOT_ANSWERED };
      refused[reason] = (refused[reason] ?? 0) + 1;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

function sign(request: RaceRequest, reservationId: string): void {
  const { contract, wallet, entryPoint, sender, validUntilSeconds, event, token } = request;
  const [nonce, prechargeWei] = [String(request.nonce), String(request.prechargeWei)];
  tell({
    signed: {
      ...{ contract, wallet, entryPoint, sender, nonce, prechargeWei, validUntilSeconds },
      ...{ reservationId, requestId: event.requestId, ...(token && { token }) },
    },
  });
}

void main();
