import { faker } from '@faker-js/faker';
import { randomAddress } from '@paymaster/domain/testing';
import type { GrantedEvent, LandedEvent, SponsorshipEvent, VoidedEvent } from '@paymaster/messaging';
import { SumMoney1765325820000 } from '../../schema/migrations/1765325820000-sum-money';
import { databaseOf, startDashboard, type DashboardUnderTest } from '../../testing/dashboard-under-test';
import { createPaymaster, type Keys, paymasterIdOf } from '../../testing/requests';
import { USAGE_PARTS, type UsagePart } from './operation';
import { OperationsProjection } from './operations.projection';

const OPERATIONS = 80;
const DAY_MS = Date.parse('2026-03-04T00:00:00.000Z');
const PERIOD = 'from=2026-03-04&to=2026-03-06';
const DAYS = ['2026-03-04T00:00:00.000Z', '2026-03-05T00:00:00.000Z'];
const TOKENS = [
  { token: randomAddress(), decimals: 6 },
  { token: randomAddress(), decimals: 18 },
  { token: randomAddress(), decimals: 0 },
];
const POLICIES = [faker.string.uuid(), faker.string.uuid()];
const KEYS = [faker.string.uuid(), faker.string.uuid()];
const SENDERS = [randomAddress(), randomAddress(), randomAddress()];
const CONTRACTS = [randomAddress(), randomAddress(), randomAddress()];
const pick = faker.helpers.arrayElement;

let dashboard: DashboardUnderTest;
let keys: Keys;
let paymasterId: string;
let reservation = 0;

beforeAll(async () => {
  dashboard = await startDashboard();
});
beforeEach(async () => {
  keys = await createPaymaster(dashboard);
  paymasterId = await paymasterIdOf(dashboard, keys);
});
afterAll(() => dashboard.stop());

type Shown = Readonly<Record<string, string | number>>;
const usage = async (query: string) =>
  (await dashboard.call({ method: 'GET', path: `/usage?${PERIOD}&${query}`, ...keys })).body.data as unknown as Shown[];

/** What one settled operation adds to the sums; USD times 1e12. */
interface Money {
  readonly spentWei: bigint;
  readonly spentUsd: bigint;
  readonly unpriced: bigint;
  readonly received: bigint;
  readonly receivedUsd: bigint;
  readonly unrecorded: bigint;
}

/** What one settled operation adds to the gas of the hours. */
interface Gas {
  readonly gasUsed: bigint;
  readonly gasCostWei: bigint;
}

interface Generated {
  readonly events: readonly SponsorshipEvent[];
  /** The keys in which it counts, of each split. */
  readonly keysOf: Readonly<Record<UsagePart, readonly string[]>>;
  /** Undefined: it is not final. */
  readonly money: Money | undefined;
  readonly gas: Gas | undefined;
}

const usdText = (micro: bigint | null) =>
  micro === null ? null : `${micro / 1_000_000n}.${String(micro % 1_000_000n).padStart(6, '0')}`;

/**
 * An operation with its events in an order in which they may come: its grant at any place, blocks undone, one event
 * twice. Gateways and settlement of the former version tell no prices and no payments.
 */
function generate(): Generated {
  reservation += 1;
  const mode = pick(['sponsored', 'token'] as const);
  const [policyId, keyId] = [pick([null, ...POLICIES]), pick([null, ...KEYS])];
  const sender = pick(SENDERS);
  const targets = faker.helpers
    .arrayElements(CONTRACTS, { min: 0, max: 3 })
    .map((to) => ({ to, selector: pick(['0xaaaaaaaa', '0xbbbbbbbb']), valueWei: '0' }));
  const nativeMicroUsd = pick([null, faker.number.bigInt({ min: 1n, max: 10n ** 10n })]);
  const paidIn = pick(TOKENS);
  const tokenMicroUsd = pick([null, faker.number.bigInt({ min: 1n, max: 10n ** 10n })]);
  const chargedWei = faker.number.bigInt({ min: 0n, max: 10n ** 18n });
  const amount = pick([undefined, 0n, faker.number.bigInt({ min: 1n, max: 10n ** 24n })]);
  const gasUsed = pick([undefined, faker.number.bigInt({ min: 1n, max: 10n ** 7n })]);
  const gasCostWei = faker.number.bigInt({ min: 0n, max: 10n ** 17n });
  const atMs = DAY_MS + faker.number.int({ max: 2 * 86_400_000 - 2 });
  const base = (at = atMs) => ({ eventId: faker.string.uuid(), atMs: at, chainId: 31337, paymasterId });
  const ref = { reservationId: `${reservation}`, mode, sender, nonce: '7' };
  const operation = { ...ref, entryPointVersion: '0.7' };
  const isTold = { keyId, nativeUsd: usdText(nativeMicroUsd) };
  const granted = (): GrantedEvent => ({
    ...{ kind: 'granted', ...base(), ...operation, requestId: 'r', policyId, policyVersion: 3, targets, trace: [] },
    ...{ fundingWallet: randomAddress(), prechargeWei: '1000', validUntilSeconds: 1_800_000_300 },
    ...((keyId !== null || nativeMicroUsd !== null) && isTold),
    ...(mode === 'token' && tokenMicroUsd !== null && { tokenPrice: { ...paidIn, usd: usdText(tokenMicroUsd)! } }),
  });
  const landed = (kind: LandedEvent['kind'], paid: bigint | undefined, transaction: string): LandedEvent => ({
    ...{ kind, ...base(atMs + 1), ...operation, userOpHash: `0x${'1'.repeat(64)}`, blockNumber: '9', success: true },
    ...{
      fundingWallet: randomAddress(),
      transactionHash: `0x${transaction.repeat(64)}`,
      actualGasCostWei: `${gasCostWei}`,
    },
    ...(gasUsed !== undefined && { actualGasUsed: `${gasUsed}` }),
    chargedWei: chargedWei.toString(),
    ...(mode === 'sponsored' && { tokenPayment: null }),
    ...(mode === 'token' &&
      paid !== undefined && { tokenPayment: paid ? { token: paidIn.token, amount: paid.toString() } : null }),
  });
  const undone = [landed('landed', 99n, '2'), landed('unlanded', 99n, '2')];
  const voided: VoidedEvent = { kind: 'voided', ...base(), ...operation, because: 'expired', releasedWei: '1' };
  const end = pick(['granted', 'undone', 'voided', 'settled', 'settled', 'settled', 'settled']);
  const after = {
    granted: [],
    undone,
    voided: [voided],
    settled: [...pick([[], undone]), landed('landed', amount, '3'), landed('settled', amount, '3')],
  }[end]!;
  const at = faker.number.int({ max: after.length });
  const events = [...after.slice(0, at), granted(), ...after.slice(at)];
  const paid = mode === 'token' ? amount : 0n;
  const isPaid = end === 'settled' && paid !== undefined && paid > 0n;
  return {
    events: [...events, ...faker.helpers.arrayElements(events, { min: 0, max: 2 })],
    keysOf: {
      ...{
        mode: [mode],
        sender: [sender],
        policy: policyId === null ? [] : [policyId],
        key: keyId === null ? [] : [keyId],
      },
      contract: targets.map(({ to }) => to),
      method: targets.map(({ to, selector }) => `${to}:${selector}`),
      token: isPaid ? [paidIn.token] : [],
    },
    gas: end === 'settled' && gasUsed !== undefined ? { gasUsed, gasCostWei } : undefined,
    money:
      end === 'settled'
        ? {
            spentWei: chargedWei,
            spentUsd: (chargedWei * (nativeMicroUsd ?? 0n)) / 10n ** 12n,
            unpriced: nativeMicroUsd === null ? 1n : 0n,
            received: paid ?? 0n,
            receivedUsd: ((paid ?? 0n) * (tokenMicroUsd ?? 0n) * 10n ** 6n) / 10n ** BigInt(paidIn.decimals),
            unrecorded: paid === undefined || (paid > 0n && tokenMicroUsd === null) ? 1n : 0n,
          }
        : undefined,
  };
}

/** The events of all operations, mixed, with those of each operation in their order. */
function mixed(all: readonly Generated[]): SponsorshipEvent[] {
  const queues = all.map(({ events }) => [...events]);
  const order: SponsorshipEvent[] = [];
  while (queues.some((queue) => queue.length > 0)) {
    const queue = pick(queues.filter((each) => each.length > 0));
    order.push(queue.shift()!);
  }
  return order;
}

const NOTHING = { spentWei: 0n, spentUsd: 0n, unpriced: 0n, received: 0n, receivedUsd: 0n, unrecorded: 0n };
const FIELDS = Object.keys(NOTHING) as (keyof Money)[];

function sumOf(all: readonly Money[], sign = 1n): Money {
  const sum = (field: keyof Money) => all.reduce((total, money) => total + sign * money[field], 0n);
  return Object.fromEntries(FIELDS.map((field) => [field, sum(field)])) as unknown as Money;
}

/** Decimal text, times 1e12. */
function usd12(text: string | number | undefined): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)\.?(\d*)$/.exec(String(text)) ?? [];
  return BigInt(`${sign}${whole}${fraction.padEnd(12, '0')}`);
}

/** A row as the API shows it, in the units of the model; its net is checked here. */
function moneyOf(row: Shown): Money {
  const [spentUsd, receivedUsd] = [usd12(row['spentUsd']), usd12(row['receivedUsd'])];
  expect(usd12(row['netUsd'])).toBe(spentUsd - receivedUsd);
  const [spentWei, unpriced] = [BigInt(row['spentWei']!), BigInt(row['unpriced']!)];
  return {
    ...{ spentWei, spentUsd, unpriced, receivedUsd },
    ...{ received: BigInt(row['received'] ?? 0), unrecorded: BigInt(row['unrecorded']!) },
  };
}

describe('gross, received and net', () => {
  it('of the parts of each split add up to the whole, whatever was undone, late, told twice or not told', async () => {
    const all = faker.helpers.multiple(generate, { count: OPERATIONS });
    const projection = dashboard.app.get(OperationsProjection);
    for (const event of mixed(all)) await projection.apply(event);
    const final = all.flatMap((each) => (each.money ? [{ ...each, money: each.money }] : []));
    const { received: _, ...whole } = sumOf(final.map(({ money }) => money));
    for (const query of ['by=mode', 'interval=hour', 'interval=day']) {
      expect({ query, ...sumOf((await usage(query)).map(moneyOf)) }).toEqual({ query, ...whole, received: 0n });
    }
    for (const interval of ['hour', 'day']) {
      const points = await usage(`interval=${interval}`);
      for (const name of ['gasUsed', 'gasCostWei'] as const) {
        const shown = points.reduce((sum, point) => sum + BigInt(point[name]!), 0n);
        expect({ name, sum: shown }).toEqual({
          name,
          sum: all.reduce((sum, { gas }) => sum + (gas?.[name] ?? 0n), 0n),
        });
      }
    }
    for (const part of USAGE_PARTS) {
      const rows = (await usage(`by=${part}`)).filter(({ settled }) => settled !== 0);
      const known = [...new Set(final.flatMap(({ keysOf }) => keysOf[part]))];
      const expected = known.map((key) => {
        const inIt = final.filter(({ keysOf }) => keysOf[part].includes(key));
        const { received, ...money } = sumOf(inIt.map(({ money }) => money));
        return [key, { ...money, received: part === 'token' ? received : 0n, settled: inIt.length }];
      });
      const shown = rows.map((row) => [row['key'], { ...moneyOf(row), settled: row['settled'] }]);
      expect({ part, ...Object.fromEntries(shown) }).toEqual({ part, ...Object.fromEntries(expected) });
      // What is in no part, less what is in several, is all that is missing.
      const others = final.flatMap(({ keysOf, money }) => {
        const times = BigInt(1 - keysOf[part].length);
        return [Object.fromEntries(FIELDS.map((field) => [field, times * money[field]])) as unknown as Money];
      });
      const { received: __, ...sum } = sumOf([...rows.map(moneyOf), ...others]);
      expect({ part, ...sum }).toEqual({ part, ...whole });
      const days = await usage(`by=${part}&eachDay=true`);
      expect(DAYS).toEqual(expect.arrayContaining([...new Set(days.map(({ start }) => start))]));
      for (const row of rows) {
        const ofPart = days.filter(({ key }) => key === row['key']);
        expect({ part, ...sumOf(ofPart.map(moneyOf)) }).toEqual({ part, ...moneyOf(row) });
      }
    }
  });

  it('are not recorded of operations from before they were kept, and sums say of how many', async () => {
    const all = faker.helpers.multiple(generate, { count: 30 });
    for (const event of mixed(all)) await dashboard.app.get(OperationsProjection).apply(event);
    const runner = databaseOf(dashboard).createQueryRunner();
    const migration = new SumMoney1765325820000();
    await runner.startTransaction();
    await migration.down(runner);
    await migration.up(runner);
    await runner.commitTransaction();
    await runner.release();
    const final = all.filter(({ money }) => money);
    const paid = final.filter(({ keysOf }) => keysOf.mode[0] === 'token').length;
    const untold = {
      ...{ ...NOTHING, unpriced: BigInt(final.length), unrecorded: BigInt(paid) },
      spentWei: final.reduce((sum, { money }) => sum + (money?.spentWei ?? 0n), 0n),
    };
    for (const query of ['by=mode', 'by=sender', 'interval=hour']) {
      expect({ query, ...sumOf((await usage(query)).map(moneyOf)) }).toEqual({ query, ...untold });
    }
    expect(await usage('by=token')).toEqual([]);
  });

  it('are in the price of the token that was paid, where a nonce was signed for several, at its highest', async () => {
    const [first, second] = TOKENS;
    const paying = { ...generate() };
    const [granted] = paying.events.filter((event): event is GrantedEvent => event.kind === 'granted');
    const grant = (of: typeof first, usd: string, nativeUsd: string): GrantedEvent => ({
      ...{ ...granted!, eventId: faker.string.uuid(), mode: 'token', nativeUsd, tokenPrice: { ...of!, usd } },
    });
    const settled: LandedEvent = {
      ...{ ...granted!, kind: 'settled', eventId: faker.string.uuid(), mode: 'token', blockNumber: '9', success: true },
      ...{ userOpHash: `0x${'1'.repeat(64)}`, transactionHash: `0x${'2'.repeat(64)}`, actualGasCostWei: '1' },
      ...{ chargedWei: String(10n ** 15n), tokenPayment: { token: first!.token, amount: '2500000' } },
    };
    const projection = dashboard.app.get(OperationsProjection);
    for (const event of [
      grant(first, '1.1', '3000'),
      settled,
      grant(second, '9', '3200'),
      grant(first, '0.9', '3100'),
    ]) {
      await projection.apply(event);
    }
    const money = { spentUsd: '3.2', receivedUsd: '2.75', netUsd: '0.45', unpriced: 0, unrecorded: 0 };
    expect(await usage('by=token')).toMatchObject([{ key: first!.token, received: '2500000', ...money }]);
  });
});
