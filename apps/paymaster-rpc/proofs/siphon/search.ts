import { ENTRY_POINT_VERSIONS, type EntryPointVersion } from '@paymaster/domain';
import { Adversary, randomFrom, type Found } from './adversary';
import type { Rollup } from './siphon-l1';
import { SiphonWorld } from './siphon-world';

/** Wei per gas: a rollup, a calm and a usual day of the main chain, and a rush. */
const BASE_FEES_WEI = [2_000_000n, 500_000_000n, 15_000_000_000n, 300_000_000_000n] as const;

/** What others tip, in percent of the base fee: nothing, next to nothing, little, much, and as much as the base fee. */
const MARKET_TIPS = [0, 0.5, 10, 50, 100] as const;

/** The same for rollups: with the first, L1 data is most of a transaction's cost; with the second, a twentieth. */
const ROLLUP_BASE_FEES_WEI = [2_000_000n, 100_000_000n] as const;
/**
 * By how much fees that rise tenfold within a minute rise between two readings, and the number of readings in that
 * minute.
 */
const RISE = 10 ** (1 / 30);
const RISING_READINGS = 30;
/**
 * The levers that the attacker leaves alone on a rollup. Above all, no contract of his makes the call data
 * (`inflated`): that would save most of its L1 cost, but every honest bundler who compresses the data saves as much.
 */
const PLAIN_BUNDLES = { inflated: false, operations: 1, baseFeeThen: 100, turnsOff: false } as const;

/** What a chain's transactions pay. */
interface Market {
  readonly baseFeeWei: bigint;
  readonly tipPercent: number;
}

const EVERY_MARKET: readonly Market[] = BASE_FEES_WEI.flatMap((baseFeeWei) =>
  MARKET_TIPS.map((tipPercent) => ({ baseFeeWei, tipPercent })),
);
/** Every base fee once, each with other tips. */
export const SOME_MARKETS: readonly Market[] = BASE_FEES_WEI.map((baseFeeWei, index) => {
  return { baseFeeWei, tipPercent: MARKET_TIPS[index + 1]! };
});

/** More than the number of searches of a run, because each search has its own seed. */
const SEEDS = 1_000;

/** The most that an attacker got, by kind of plan, EntryPoint version and base fee. */
export interface Searched {
  readonly found: readonly Found[];
  readonly landedOperations: number;
}

/**
 * Lets an adversary try this many plans for each EntryPoint version and market, against a gateway with default
 * bounds.
 */
export async function searchEverywhere({
  plans,
  seed,
  markets = EVERY_MARKET,
  tell = () => undefined,
}: {
  plans: number;
  seed: number;
  markets?: readonly Market[];
  tell?: (line: string) => void;
}): Promise<Searched> {
  const siphon = await SiphonWorld.start();
  const found: Found[] = [];
  let landedOperations = 0;
  let searches = 0;
  try {
    for (const { baseFeeWei, tipPercent } of markets) {
      await siphon.setBaseFee(baseFeeWei, tipPercent);
      for (const version of ENTRY_POINT_VERSIONS) {
        const adversary = new Adversary(siphon, { version, baseFeeWei }, randomFrom(SEEDS * seed + searches++));
        await adversary.search(plans);
        const best = Object.values(adversary.best);
        found.push(...best);
        landedOperations += adversary.landedOperations;
        const market = `${gwei(baseFeeWei)}, tips of ${tipPercent} %`;
        tell(`v${version}, ${market}: ${adversary.landedOperations} operations landed, highest returns found:`);
        for (const each of best) tell(`  ${describeFound(each)}`);
      }
    }
  } finally {
    await siphon.stop();
  }
  return { found, landedOperations };
}

/**
 * Lets the adversary try this many plans on a rollup, for each EntryPoint version and base fee: first while L1 fees
 * stand still, then while they rise tenfold within a minute. Each plan is carried out right after a reading, which is
 * its best moment.
 */
export async function searchRollup(
  rollup: Rollup,
  { plans, seed, tell = () => undefined }: { plans: number; seed: number; tell?: (line: string) => void },
): Promise<Searched> {
  const siphon = await SiphonWorld.start({ rollup });
  const found: Found[] = [];
  let landedOperations = 0;
  try {
    const at = (version: EntryPointVersion, baseFeeWei: bigint): Adversary =>
      new Adversary(siphon, { version, baseFeeWei }, randomFrom(seed), PLAIN_BUNDLES);
    const keep = (adversary: Adversary): void => {
      landedOperations += adversary.landedOperations;
      const { one } = adversary.best;
      if (!one) return;
      const share = Number(one.haul.l1Wei) / Number(one.haul.costWei);
      found.push(one);
      tell(`${rollup}, ${Math.round(100 * share)} % L1 data: ${describeFound(one)}`);
    };
    for (const baseFeeWei of ROLLUP_BASE_FEES_WEI) {
      await siphon.setBaseFee(baseFeeWei);
      for (const version of ENTRY_POINT_VERSIONS) {
        const adversary = at(version, baseFeeWei);
        for (let plan = 0; plan < plans; plan++) {
          await siphon.readL1Price();
          await adversary.search(1);
        }
        keep(adversary);
      }
    }
    const [dearest] = ROLLUP_BASE_FEES_WEI;
    await siphon.setBaseFee(dearest);
    const rising = at('0.8', dearest);
    for (let reading = 1; reading <= RISING_READINGS; reading++) {
      await siphon.setL1Price(RISE ** reading);
      await siphon.readL1Price();
      await rising.search(1);
    }
    keep(rising);
  } finally {
    await siphon.stop();
  }
  return { found, landedOperations };
}

/** One line: what the plan brought, what it may bring, and its levers and fields. */
export function describeFound({ kind, version, baseFeeWei, haul, multiple, most, plan, signed }: Found): string {
  const brought = `${multiple.toFixed(3)} of ${most.toFixed(3)}, ${haul.operations} operations, ${haul.costWei} wei`;
  return `${kind} ${brought}, v${version}, ${gwei(baseFeeWei)}: ${JSON.stringify({ ...plan, ...signed })}`;
}

function gwei(wei: bigint): string {
  return `${Number(wei) / 1e9} gwei`;
}
