import type { Address } from '@paymaster/domain';
import type { BudgetClaim } from '../../src/gateway/ledger';
import type { BlockHeader } from '../../src/settlement';
import { hex } from '../../src/settlement/testing/model-chain';
import { randomOf, type Random } from '../../src/settlement/testing/random';

export const CHAIN_ID = 31337;
export const ENTRY_POINT: Address = hex(20, 0xee);

/** The block before everything. */
export const GENESIS: BlockHeader = {
  number: 100n,
  hash: hex(32, 2n ** 200n),
  parentHash: hex(32, 2n ** 201n),
  timeSeconds: 1_800_000_000,
};

/** A paymaster of the race: whose wallet pays, and in which contract. */
export interface RacePaymaster {
  readonly id: string;
  readonly account: { readonly contract: Address; readonly wallet: Address };
}

/** Blocks deeper than this are final. */
export const REORG_WINDOW = 12;

/** How many limits there are for each kind; policy versions take them in turn, so that limits go up and down. */
export const POLICIES = 8;
export const WINDOW_SECONDS = 600;

const paymasterId = (index: number): string => `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`;

const account = (contract: number, wallet: number) => ({
  contract: hex(20, 0xc0 + contract),
  wallet: hex(20, 0xf0 + wallet),
});

/** Three funding wallets in two contracts; the first two wallets are shared by paymasters. */
export const ACCOUNTS = [account(0, 0), account(1, 0), account(0, 1)];
export const PAYMASTERS: readonly RacePaymaster[] = [0, 0, 0, 1, 1, 2].map((index, position) => ({
  id: paymasterId(position + 1),
  account: ACCOUNTS[index]!,
}));
export const SENDERS = Array.from({ length: 120 }, (_, index) => hex(20, 0x5e00 + index));

/** A paymaster with a single budget: this many operations in all. Its wallet always has enough and never withdraws. */
export const EXACT_LIMIT = 61;
export const EXACT: RacePaymaster = { id: paymasterId(0xee), account: account(0, 9) };
/** A validity longer than any race, so that its grants end after the race. */
export const EXACT_VALIDITY_SECONDS = 10_000_000;

/** Exposure caps of every wallet for payments in tokens. */
export const EXPOSURE_CAPS = { tokenCapWei: 30_000n, senderCapWei: 5_000n };
/** Unpaid operations use up a token's cap for good. So two new tokens replace the old each time after so many blocks. */
const BLOCKS_PER_TOKEN = 150;

/** A token in which operations pay at that height. */
export function tokenAt(blockNumber: number, random: Random): Address {
  return hex(20, 0x70_0000 + 2 * Math.floor(blockNumber / BLOCKS_PER_TOKEN) + random.int(0, 1));
}

type LimitKind = 'wei' | 'usd' | 'count' | 'live' | 'liveOfSender';

/** The least and the most a limit can be, in its unit. */
const RANGES: Readonly<Record<LimitKind, readonly [number, number]>> = {
  wei: [10_000, 150_000],
  usd: [30_000, 500_000],
  count: [3, 12],
  live: [10, 100],
  liveOfSender: [2, 5],
};

/** One limit of one paymaster under one policy version, as a row for checks in SQL. */
export interface RaceLimit {
  readonly paymasterId: string;
  readonly kind: LimitKind | 'exact';
  /** Policy version modulo {@link POLICIES}. */
  readonly policy: number;
  readonly amount: number;
}

/** All limits, computed from the seed alone, so that separate processes have the same limits. */
export function limitsOf(seed: number): readonly RaceLimit[] {
  const random = randomOf(seed);
  const kinds = Object.entries(RANGES) as [LimitKind, readonly [number, number]][];
  const policies = Array.from({ length: POLICIES }, (_, policy) => policy);
  return [
    ...policies.map((policy) => ({ paymasterId: EXACT.id, kind: 'exact' as const, policy, amount: EXACT_LIMIT })),
    ...PAYMASTERS.flatMap(({ id }) =>
      kinds.flatMap(([kind, [least, most]]) =>
        policies.map((policy) => ({ paymasterId: id, kind, policy, amount: random.int(least, most) })),
      ),
    ),
  ];
}

/** A claim whose refusal says which kind of limit was reached. */
const claim = (fields: Omit<BudgetClaim, 'refusal' | 'live' | 'unit'> & Partial<BudgetClaim>): BudgetClaim => {
  const kind = fields.key.split('/')[1]!;
  const refusal = { rule: kind, reason: kind, message: `the limit ${kind} is reached` };
  return { live: false, unit: 'wei', refusal, ...fields };
};

/** The claims of an operation on the budgets of its paymaster; keys begin with paymaster and kind. */
export class RaceLimits {
  private readonly amounts: ReadonlyMap<string, bigint>;

  constructor(seed: number) {
    this.amounts = new Map(
      limitsOf(seed).map(({ paymasterId, kind, policy, amount }) => [
        `${paymasterId}/${kind}/${policy}`,
        BigInt(amount),
      ]),
    );
  }

  claims(
    of: {
      readonly paymasterId: string;
      readonly sender: Address;
      readonly prechargeWei: bigint;
      readonly policyVersion: number;
      readonly nowSeconds: number;
    },
    random: Random,
  ): BudgetClaim[] {
    const { paymasterId: id, sender, prechargeWei, policyVersion, nowSeconds } = of;
    const limit = (kind: string) => this.amounts.get(`${id}/${kind}/${policyVersion % POLICIES}`)!;
    if (id === EXACT.id) return [claim({ key: `${id}/exact`, unit: 'count', amount: 1n, limit: limit('exact') })];
    const window = Math.floor(nowSeconds / WINDOW_SECONDS);
    const microUsdPerWei = BigInt(random.int(1, 5));
    const usd = { unit: 'microUsd', microUsdPerNative: microUsdPerWei * 10n ** 18n } as const;
    return [
      claim({ key: `${id}/wei/${window}`, amount: prechargeWei, limit: limit('wei') }),
      claim({ key: `${id}/usd/${window}`, ...usd, amount: prechargeWei * microUsdPerWei, limit: limit('usd') }),
      claim({ key: `${id}/count/${sender}/${window}`, unit: 'count', amount: 1n, limit: limit('count') }),
      claim({ key: `${id}/live`, live: true, unit: 'count', amount: 1n, limit: limit('live') }),
      claim({
        ...{ key: `${id}/liveOfSender/${sender}`, live: true, unit: 'count' },
        ...{ amount: 1n, limit: limit('liveOfSender') },
      }),
    ]
      .filter(() => random.chance(0.9))
      .sort(() => random.int(0, 1) - 0.5);
  }
}
