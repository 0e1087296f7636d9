/**
 * What reservations cost. Run: node -r ./devnet/load-typescript.cjs libs/ledger/src/testing/reservation-bench.ts
 *
 * Prints reservations per second with every request on one budget and one wallet (hot) and with each on its own
 * (spread), in interleaved rounds, the CPU time of Postgres per request, and the latency of requests that come alone.
 */
import { readFileSync } from 'node:fs';
import { startPostgres } from '@paymaster/devnet';
import type { ReserveRequest } from '../gateway/ledger';
import { openLedger } from '../gateway/open-ledger';
import { createLedgerDatabase } from './ledger-database';
import { aBudgetClaim, aReserveRequest } from './reserve-request.builder';
import { seedChain, seedWallet } from './seed';

const ROUNDS = 3;
const PER_ROUND = 6_400;
const CONCURRENCY = 256;
const WALLETS = 64;
const CHAIN = 31337;
const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const walletOf = (index: number) => `0x${String(index).padStart(40, '0')}` as const;

const trace = Array.from({ length: 14 }, (_, index) => ({
  rule: `whitelist.${index}`,
  input: `call ${index} to 0x00112233445566778899aabbccddeeff00112233 selector 0xa9059cbb`,
  outcome: 'pass' as const,
}));

/** Two spending limits, and caps on what the sender, the client address and the paymaster have live. */
function aRequest(subject: string, wallet: `0x${string}`): ReserveRequest {
  const request = aReserveRequest({ chainId: CHAIN, contract: CONTRACT, wallet, brakeReleasedAtMs: 0 });
  const { sender, paymasterId } = request;
  const limit = 10n ** 30n;
  return {
    ...request,
    event: { ...request.event, trace },
    claims: [
      aBudgetClaim({ key: `${paymasterId}/rule-1/${subject}/2026-01`, unit: 'wei', amount: 1_000n, limit }),
      aBudgetClaim({ key: `${paymasterId}/rule-2/${sender}/2026-01`, limit }),
      aBudgetClaim({ key: `live/${paymasterId}/sender/${sender}`, live: true, limit }),
      aBudgetClaim({ key: `live/${paymasterId}/client/${subject}`, live: true, limit }),
      aBudgetClaim({ key: `live/${paymasterId}`, live: true, limit }),
    ],
  };
}

const hotPaymaster = aReserveRequest().paymasterId;
function rekey(request: ReserveRequest): ReserveRequest {
  const claims = request.claims.map((claim) => ({
    ...claim,
    key: claim.key.replace(request.paymasterId, hotPaymaster),
  }));
  return { ...request, paymasterId: hotPaymaster, claims };
}

const KINDS = {
  hot: () => rekey(aRequest('everybody', walletOf(0))),
  spread: (index: number) => aRequest(String(index), walletOf(index % WALLETS)),
};
type Kind = keyof typeof KINDS;

function cpuMs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return sum + (Number(fields[11]) + Number(fields[12])) * 10;
  }, 0);
}

async function main(): Promise<void> {
  const postgres = await startPostgres();
  const database = await createLedgerDatabase(postgres.url);
  await seedChain(database.pool, { chainId: CHAIN });
  for (let index = 0; index < WALLETS; index++)
    await seedWallet(database.pool, {
      chainId: CHAIN,
      contract: CONTRACT,
      wallet: walletOf(index),
      spendableWei: 10n ** 30n,
    });
  const ledger = openLedger({ databaseUrl: database.url, deadlineMs: 10_000, poolWaitMs: 5_000 });
  const backends = async () =>
    (
      await database.pool.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE application_name = 'paymaster-ledger'`,
      )
    ).rows.map(({ pid }) => pid);

  const load = async (kind: Kind, count: number): Promise<{ perSecond: number; cpuUs: number }> => {
    const requests = Array.from({ length: count }, (_, index) => KINDS[kind](index));
    const pids = await backends();
    const [cpu, start] = [cpuMs(pids), performance.now()];
    let next = 0;
    await Promise.all(
      Array.from({ length: CONCURRENCY }, async () => {
        while (next < count) await ledger.reserve(requests[next++]!);
      }),
    );
    const tookMs = performance.now() - start;
    return { perSecond: (count / tookMs) * 1_000, cpuUs: ((cpuMs(pids) - cpu) / count) * 1_000 };
  };

  const results: Record<Kind, { perSecond: number; cpuUs: number }[]> = { hot: [], spread: [] };
  for (const kind of ['hot', 'spread'] as const) await load(kind, 1_000);
  for (let round = 0; round < ROUNDS; round++)
    for (const kind of ['hot', 'spread'] as const) results[kind].push(await load(kind, PER_ROUND));

  const alone: number[] = [];
  for (let index = 0; index < 400; index++) {
    const request = KINDS.spread(index);
    const start = performance.now();
    await ledger.reserve(request);
    alone.push(performance.now() - start);
  }
  alone.sort((a, b) => a - b);
  const median = (kind: Kind, field: 'perSecond' | 'cpuUs') =>
    Math.round(results[kind].map((result) => result[field]).sort((a, b) => a - b)[Math.floor(ROUNDS / 2)]!);
  const lines = [
    ...(['hot', 'spread'] as const).map(
      (kind) =>
        `${kind.padEnd(7)} ${median(kind, 'perSecond')} reservations/s, ${median(kind, 'cpuUs')} us of Postgres each`,
    ),
    `hot / spread ${(median('hot', 'perSecond') / median('spread', 'perSecond')).toFixed(2)} (target 0.70)`,
    `alone: p50 ${alone[200]!.toFixed(2)} ms, p99 ${alone[396]!.toFixed(2)} ms`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  await ledger.close();
  await database.drop();
  await postgres.stop();
}

void main();
