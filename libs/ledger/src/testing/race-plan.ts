import type { Address } from '@paymaster/domain';
import type { Pool } from 'pg';
import type { BudgetClaim, ReserveRequest } from '../gateway/ledger';
import { aBudgetClaim, aReserveRequest } from './reserve-request.builder';
import { seedChain, seedWallet } from './seed';
import { Random } from './random';

/**
 * The wallets, senders, nonces and limits of a race; few of each, so that the processes compete for them. Plain data.
 */
export interface RacePlan {
  readonly contract: Address;
  /** On two chains. */
  readonly wallets: readonly { readonly chainId: number; readonly wallet: Address; readonly spendableWei: string }[];
  readonly paymasterIds: readonly string[];
  readonly senders: readonly Address[];
  readonly nonces: number;
  readonly maxPrechargeWei: number;
  /** Limits per paymaster: wei, operations, live signatures per sender, live signatures. `usd` is shared by all. */
  readonly limits: Readonly<Record<'wei' | 'count' | 'liveOfSender' | 'live' | 'usd', number>>;
}

/** Of 1e18 wei, by chain; 1e-6 USD. */
const PRICES: Readonly<Record<number, bigint>> = { 31337: 2n * 10n ** 18n, 31338: 10n ** 18n };

const address = (tag: number, index: number): Address => `0x${tag.toString(16)}${String(index).padStart(38, '0')}`;

/** Limits that a few hundred operations reach; wallets first in one plan, budgets in another. */
export function makeRacePlan(seed: number): RacePlan {
  const random = new Random(seed);
  return {
    contract: address(0xc0, 0),
    wallets: [0, 1, 2].map((index) => ({
      chainId: index === 0 ? 31338 : 31337,
      wallet: address(0xfa, index),
      spendableWei: String(random.integer(60_000, 120_000)),
    })),
    paymasterIds: [1, 2, 3, 4].map((index) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`),
    senders: Array.from({ length: 60 }, (_, index) => address(0x5e, index)),
    nonces: 12,
    maxPrechargeWei: 3_000,
    limits: {
      wei: random.integer(40_000, 120_000),
      count: random.integer(40, 80),
      liveOfSender: 4,
      live: random.integer(40, 80),
      usd: random.integer(100_000, 300_000),
    },
  };
}

/** The plan's chains and wallets. */
export async function seedRace(pool: Pool, plan: RacePlan): Promise<void> {
  const { contract } = plan;
  for (const chainId of Object.keys(PRICES).map(Number)) await seedChain(pool, { chainId });
  for (const { chainId, wallet, spendableWei } of plan.wallets) {
    await seedWallet(pool, { chainId, contract, wallet, spendableWei: BigInt(spendableWei) });
  }
}

/** One operation of the plan; often an earlier operation at another price. */
export function randomRequest(plan: RacePlan, random: Random): ReserveRequest {
  const paymasterId = random.of(plan.paymasterIds);
  const sender = random.of(plan.senders);
  const prechargeWei = BigInt(random.integer(1, plan.maxPrechargeWei));
  const { chainId, wallet } = random.of(plan.wallets);
  const ofPaymaster = raceClaims(plan, { chainId, paymasterId, sender, prechargeWei });
  return aReserveRequest({
    chainId,
    contract: plan.contract,
    wallet,
    paymasterId,
    sender,
    nonce: BigInt(random.integer(0, plan.nonces - 1)),
    prechargeWei,
    validUntilSeconds: Math.floor(Date.now() / 1_000) + random.integer(120, 600),
    // The claims are in random order, and not always all are there; the ledger must still take locks in one order.
    claims: ofPaymaster.filter(() => random.chance(0.85)).sort(() => random.next() - 0.5),
  });
}

function raceClaims(
  { limits }: RacePlan,
  of: Pick<ReserveRequest, 'chainId' | 'paymasterId' | 'sender' | 'prechargeWei'>,
): BudgetClaim[] {
  const { chainId, paymasterId, sender, prechargeWei } = of;
  const microUsdPerNative = PRICES[chainId]!;
  const microUsd = (prechargeWei * microUsdPerNative) / 10n ** 18n;
  return [
    aBudgetClaim({
      ...{ key: 'shared/usd', unit: 'microUsd', amount: microUsd, microUsdPerNative },
      ...{ limit: BigInt(limits.usd), version: 1 },
    }),
    aBudgetClaim({ key: `${paymasterId}/wei`, unit: 'wei', amount: prechargeWei, limit: BigInt(limits.wei) }),
    aBudgetClaim({ key: `${paymasterId}/count`, limit: BigInt(limits.count) }),
    aBudgetClaim({ key: `${paymasterId}/live/${sender}`, live: true, limit: BigInt(limits.liveOfSender) }),
    aBudgetClaim({ key: `${paymasterId}/live`, live: true, limit: BigInt(limits.live) }),
  ];
}
