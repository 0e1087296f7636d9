import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import type { Address } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { openLedger, type Ledger, type ReserveRequest } from '@paymaster/ledger';
import { aBudgetClaim, aReserveRequest, UNHURRIED } from '@paymaster/ledger/testing';
import { startBenchLedger, type BenchLedger } from './bench-ledger';
import type { BenchWorld } from './bench-world';
import type { BenchOptions } from './measurement';
import { canPin, SERVER_CORE } from './pinned-server';
import { cpuSecondsOf } from './process-cpu';
import { median } from './statistics';

const GATEWAYS = 3;
/** Reservations that each gateway waits for at once: two full batches. */
const IN_FLIGHT = 128;
const WALLETS = 64;
const PLENTY = 10n ** 30n;
const TARGET = 1.8;

interface Measured {
  readonly perSecond: number;
  /** Of all Postgres together, per reservation. */
  readonly cpuMicros: number;
  /** How much of the core of Postgres that is. */
  readonly busyPercent: number;
  /** How much of its core the process took that plays the gateways. */
  readonly askingPercent: number;
}

/**
 * Target 13: as many reservations as one Postgres takes of three gateways, which only reserve, and as many as two take,
 * each with chains of its own. All Postgres share the servers' core: where CPU bounds one, two on it take no more, and
 * two on cores of their own take twice as many as long as a reservation costs them the same CPU.
 */
export async function measureReservations(world: BenchWorld, options: BenchOptions): Promise<void> {
  const { rounds, seconds, say, judge } = options;
  const ledgers = await Promise.all([startBenchLedger(world.chainId), startBenchLedger(world.chainId)]);
  const kinds = [
    { name: 'one Postgres', used: ledgers.slice(0, 1), measured: [] as Measured[] },
    { name: 'two Postgres', used: ledgers, measured: [] as Measured[] },
  ];
  say('');
  say(`reservations of ${GATEWAYS} gateways, two budgets each, on one Postgres and on two.`);
  try {
    for (const ledger of ledgers) await pinPostgres(ledger);
    const wallets = Array.from({ length: WALLETS }, () => ({ contract: randomAddress(), wallet: randomAddress() }));
    for (const ledger of ledgers) for (const each of wallets) await ledger.fund({ ...each, spendableWei: PLENTY });
    for (let round = 0; round <= rounds; round++) {
      for (const { name, used, measured } of kinds) {
        const one = await reserveFor(used, wallets, { chainId: world.chainId, seconds: round === 0 ? 2 : seconds });
        // The first makes files, plans and connections.
        if (round === 0) continue;
        measured.push(one);
        const busy = `Postgres ${one.busyPercent.toFixed(0)} % of its core, the gateways ${one.askingPercent.toFixed(0)} % of theirs`;
        say(
          `round ${round}  ${name}  ${one.perSecond.toFixed(0).padStart(6)} /s  ${one.cpuMicros.toFixed(0)} us CPU   ${busy}`,
        );
      }
    }
  } finally {
    await Promise.all(ledgers.map((ledger) => ledger.stop()));
  }
  const [one, two] = kinds.map(({ measured }) => ({
    perSecond: median(measured.map(({ perSecond }) => perSecond)),
    cpuMicros: median(measured.map(({ cpuMicros }) => cpuMicros)),
  })) as [Pick<Measured, 'perSecond' | 'cpuMicros'>, Pick<Measured, 'perSecond' | 'cpuMicros'>];
  const more = two.perSecond / one.perSecond;
  say('');
  say(`CPU of a reservation on two Postgres / on one: ${(two.cpuMicros / one.cpuMicros).toFixed(2)}`);
  judge({
    ...{ target: 13, what: `two Postgres on one core / one (${one.perSecond.toFixed(0)} reservations a second)` },
    ...{ value: more.toFixed(2), bound: `>= ${TARGET.toFixed(2)} on cores of their own`, met: more >= TARGET },
  });
}

async function reserveFor(
  used: readonly BenchLedger[],
  wallets: readonly { contract: Address; wallet: Address }[],
  { chainId, seconds }: { chainId: number; seconds: number },
): Promise<Measured> {
  // A gateway has connections to each database, and its requests are spread over the chains.
  const gateways = used.flatMap(({ databaseUrl }) =>
    Array.from({ length: GATEWAYS }, () => openLedger({ databaseUrl, maxLagSeconds: 86_400, ...UNHURRIED })),
  );
  const paymasters = wallets.map((wallet) => ({ ...wallet, paymasterId: randomUUID() }));
  const request = (at: number): ReserveRequest => {
    const { paymasterId, ...wallet } = paymasters[at % WALLETS]!;
    const claim = (key: string) => aBudgetClaim({ key, live: true, limit: PLENTY });
    const sender = randomAddress();
    return aReserveRequest({
      ...{ ...wallet, chainId, paymasterId, sender },
      claims: [claim(`live/${paymasterId}`), claim(`live/${paymasterId}/${sender}`)],
    });
  };
  try {
    const [cpuBefore, ownBefore, startedMs] = [await cpuSeconds(used), process.cpuUsage(), performance.now()];
    const endsMs = startedMs + seconds * 1_000;
    let reserved = 0;
    const reserveOn = async (ledger: Ledger): Promise<void> => {
      while (performance.now() < endsMs) {
        await ledger.reserve(request(reserved));
        reserved++;
      }
    };
    const atOnce = Math.ceil(IN_FLIGHT / used.length);
    await Promise.all(gateways.flatMap((ledger) => Array.from({ length: atOnce }, () => reserveOn(ledger))));
    const took = (performance.now() - startedMs) / 1_000;
    const { user, system } = process.cpuUsage(ownBefore);
    const cpu = (await cpuSeconds(used)) - cpuBefore;
    return {
      ...{ perSecond: reserved / took, cpuMicros: (cpu * 1e6) / reserved },
      ...{ busyPercent: (100 * cpu) / took, askingPercent: (user + system) / 1e4 / took },
    };
  } finally {
    await Promise.all(gateways.map((ledger) => ledger.close()));
  }
}

/** Of all processes of these Postgres; seconds. */
async function cpuSeconds(ledgers: readonly BenchLedger[]): Promise<number> {
  const pids = await Promise.all(ledgers.map(processesOf));
  return pids.flat().reduce((sum, pid) => sum + cpuSecondsOf(pid), 0);
}

async function processesOf(ledger: BenchLedger): Promise<number[]> {
  const rows = await ledger.rows<{ pid: number }>('SELECT pid FROM pg_stat_activity');
  return rows.map(({ pid }) => pid);
}

/** On the servers' core, with all processes that it will start: those are children of one. */
async function pinPostgres(ledger: BenchLedger): Promise<void> {
  if (!canPin) return;
  const pids = await processesOf(ledger);
  const stat = readFileSync(`/proc/${pids[0]}/stat`, 'utf8');
  const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
  for (const pid of [parent, ...pids]) spawnSync('taskset', ['-acp', String(SERVER_CORE), String(pid)]);
}
