import { startPostgres } from '@paymaster/devnet';
import type { BenchPaymaster, BenchWorld } from './bench-world';
import { CONNECTIONS, measureThroughput, warmUp, type BenchOptions, type Throughput } from './measurement';
import { measureLookups, type Lookups } from './policy-lookups';
import { explainRequests } from './explained-requests';
import { PlanLog } from './statement-plans';
import { median } from './statistics';
import { startTenantWorld, type TenantWorld } from './tenant-world';

const FEW = 10;
const MANY = 1_000_000;
const LEDGER_ROWS = 100_000;
/** Paymasters that ask at the same time, in both worlds as many. */
const ASKING = 10;
const LOOKUP_SECONDS = 4;
/** The project's: CPU per request, of a million against ten. */
const TARGET = 1.3;

/** Sponsored requests, with what Postgres used for each. */
interface Sponsored extends Throughput {
  readonly databaseMicros: number;
}

interface Measured {
  readonly sponsored: Sponsored[];
  readonly lookups: Lookups[];
}

/**
 * Target 5: the whole platform with ten paymasters and with a million, each with a contract, a policy and a wallet.
 * What must not grow: the CPU of a sponsored request in gateway and Postgres, and of a policy look-up in dashboard and
 * Postgres, which is what a request costs that finds no copy in the gateway.
 *
 * @throws when a reply or a policy is wrong
 */
export async function measureGrowth(world: BenchWorld, options: BenchOptions): Promise<void> {
  const { say } = options;
  const planLog = new PlanLog();
  // As much as a small database server has for it: with the default of 128 MB the kernel's cache would be measured.
  const settings = { shared_buffers: '1GB' };
  const postgres = await startPostgres({ durable: true, settings, log: planLog.take });
  const worlds: TenantWorld[] = [];
  try {
    say('');
    say(`growth: filling a database with ${FEW} paymasters, and one with ${MANY}.`);
    worlds.push(await startTenantWorld(world, { name: 'ten', postgres, count: FEW, say }));
    worlds.push(
      await startTenantWorld(world, { name: 'million', postgres, count: MANY, ledgerRows: LEDGER_ROWS, say }),
    );
    const [few, many] = worlds as [TenantWorld, TenantWorld];
    await report({ world, few, many, options });
    await explainRequests(world, { tenants: many, planLog, options });
  } finally {
    for (const each of worlds) await each.stop();
    await postgres.stop();
  }
}

async function report(run: {
  world: BenchWorld;
  few: TenantWorld;
  many: TenantWorld;
  options: BenchOptions;
}): Promise<void> {
  const { world, few, many, options } = run;
  const { rounds, say, judge } = options;
  const measured = new Map<TenantWorld, Measured>([few, many].map((each) => [each, { sponsored: [], lookups: [] }]));
  const floor: Throughput[] = [];

  say(`sponsored operations of ${ASKING} of the paymasters, ${CONNECTIONS} connections, every reply verified;`);
  say('then look-ups of policies over NATS, each of a paymaster taken at random from all of them.');
  await warmUp(world, { server: world.floor });
  for (const each of [few, many]) {
    await warmUp(world, { server: each.gateway, paymasters: asking(each) });
    await measureLookups(each, { chainId: world.chainId, seconds: LOOKUP_SECONDS });
  }
  for (let round = 1; round <= rounds; round++) {
    floor.push(await measureThroughput(world, { server: world.floor, seconds: options.seconds }));
    say(line(round, 'floor', `${rate(floor.at(-1)!)}   gateway ${floor.at(-1)!.cpuMicros.toFixed(0)} us`));
    // Neither is always the first.
    const order = round % 2 === 1 ? [...measured] : [...measured].reverse();
    for (const [each, { sponsored, lookups }] of order) {
      const one = await measureSponsored(world, each, options.seconds);
      sponsored.push(one);
      const postgres = one.databaseMicros.toFixed(0);
      say(line(round, each.name, `${rate(one)}   gateway ${one.cpuMicros.toFixed(0)} us   Postgres ${postgres} us`));
      const asked = await measureLookups(each, { chainId: world.chainId, seconds: LOOKUP_SECONDS });
      lookups.push(asked);
      const cpu = `dashboard ${asked.dashboardMicros.toFixed(0)} us   Postgres ${asked.databaseMicros.toFixed(0)} us`;
      say(line(round, each.name, `${asked.perSecond.toFixed(0).padStart(6)} look-ups/s   ${cpu}`));
    }
  }

  const of = (each: TenantWorld): Measured => measured.get(each)!;
  const grown = <T>(list: (of: Measured) => readonly T[], value: (one: T) => number): number =>
    median(list(of(many)).map(value)) / median(list(of(few)).map(value));
  const kinds = [
    {
      ...{
        what: 'sponsored request',
        list: (m: Measured) => m.sponsored.map((one) => [one.cpuMicros, one.databaseMicros]),
      },
      names: ['gateway', 'Postgres'],
    },
    {
      ...{
        what: 'policy look-up',
        list: (m: Measured) => m.lookups.map((one) => [one.dashboardMicros, one.databaseMicros]),
      },
      names: ['dashboard', 'Postgres'],
    },
  ];
  const perSecond = (list: readonly Throughput[]): number => median(list.map((one) => one.perSecond));
  const ofFloor = (each: TenantWorld): string => (perSecond(of(each).sponsored) / perSecond(floor)).toFixed(2);
  say(`throughput against the floor         ten ${ofFloor(few)}, million ${ofFloor(many)}`);
  for (const { what, list, names } of kinds) {
    const parts = names.map((name, at) => `${name} ${grown(list, (one) => one[at] ?? 0).toFixed(2)}`);
    say(`${what}, a million / ten            ${parts.join(', ')}`);
    const ratio = grown(list, ([app = 0, database = 0]) => app + database);
    judge({
      ...{ target: 5, what: `CPU of a ${what}, a million / ten`, value: ratio.toFixed(2) },
      ...{ bound: `<= ${TARGET}`, met: ratio <= TARGET },
    });
  }
}

async function measureSponsored(world: BenchWorld, tenants: TenantWorld, seconds: number): Promise<Sponsored> {
  const before = await tenants.databaseCpuSeconds();
  const one = await measureThroughput(world, { server: tenants.gateway, seconds, paymasters: asking(tenants) });
  const used = (await tenants.databaseCpuSeconds()) - before;
  return { ...one, databaseMicros: (used * 1e6) / one.answered };
}

/** The same number in each world, spread over all that it has. */
function asking(tenants: TenantWorld): readonly BenchPaymaster[] {
  return Array.from({ length: ASKING }, (_, at) => tenants.tenant(Math.floor((at * tenants.count) / ASKING)));
}

const line = (round: number, name: string, rest: string): string => `round ${round}  ${name.padEnd(8)} ${rest}`;
const rate = ({ perSecond }: Throughput): string => `${perSecond.toFixed(0).padStart(6)} req/s`;
