import { ENTRY_POINT_VERSIONS, type EntryPointVersion } from '@paymaster/domain';
import { Adversary, randomFrom, type Found } from './adversary';
import type { Rollup } from './siphon-l1';
import { SiphonWorld } from './siphon-world';

/** Wei per gas: a rollup, a calm and a usual day of the main chain, and a rush. */
const BASE_FEES_WEI = [2_000_000n, 500_000_000n, 15_000_000_000n, 300_000_000_000n] as const;

/** The same for rollups: with the first, L1 data is most of a transaction's cost; with the second, a twentieth. */
const ROLLUP_BASE_FEES_WEI = [2_000_000n, 100_000_000n] as const;
/**
 * The most that a bundle of one operation may bring, as a multiple of its L1 data cost, while L1 fees stand still.
 * Because of the padding of bundlers and nodes, the gateway allows 1.125 times what the OP stack takes and 1.28 times
 * what Arbitrum takes. The attacker also leaves out a signature of which 90 bytes are counted: for the smallest
 * operation, 376 bytes are counted on the OP stack and he pays for 296; on Arbitrum 700 and 611. And he writes fields
 * that bundlers fill in, such as fees, in fewer bytes.
 */
const MOST_OF_L1 = { opStack: 1.45, arbitrum: 1.6 } as const satisfies Record<Rollup, number>;
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

/** More than the number of searches of a run, because each search has its own seed. */
const SEEDS = 1_000;

/** The most that an attacker got, by kind of plan, EntryPoint version and base fee. */
export interface Searched {
  readonly found: readonly Found[];
  readonly landedOperations: number;
}

/**
 * Lets an adversary try this many plans for each EntryPoint version and base fee, against a gateway with default
 * bounds.
 */
export async function searchEverywhere({
  plans,
  seed,
  tell = () => undefined,
}: {
  plans: number;
  seed: number;
  tell?: (line: string) => void;
}): Promise<Searched> {
  const siphon = await SiphonWorld.start();
  const found: Found[] = [];
  let landedOperations = 0;
  let searches = 0;
  try {
    for (const baseFeeWei of BASE_FEES_WEI) {
      await siphon.setBaseFee(baseFeeWei);
      for (const version of ENTRY_POINT_VERSIONS) {
        const adversary = new Adversary(siphon, { version, baseFeeWei }, randomFrom(SEEDS * seed + searches++));
        await adversary.search(plans);
        const best = Object.values(adversary.best);
        found.push(...best);
        landedOperations += adversary.landedOperations;
        tell(
          `v${version}, ${gwei(baseFeeWei)}: ${adversary.landedOperations} operations landed, highest returns found:`,
        );
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
    const keep = (adversary: Adversary, rise: number): void => {
      landedOperations += adversary.landedOperations;
      const { one } = adversary.best;
      if (!one) return;
      const share = Number(one.haul.l1Wei) / Number(one.haul.costWei);
      const most = one.most * (1 - share) + MOST_OF_L1[rollup] * rise * share;
      found.push({ ...one, most });
      tell(`${rollup}, ${Math.round(100 * share)} % L1 data: ${describeFound({ ...one, most })}`);
    };
    for (const baseFeeWei of ROLLUP_BASE_FEES_WEI) {
      await siphon.setBaseFee(baseFeeWei);
      for (const version of ENTRY_POINT_VERSIONS) {
        const adversary = at(version, baseFeeWei);
        for (let plan = 0; plan < plans; plan++) {
          await siphon.readL1Price();
          await adversary.search(1);
        }
        keep(adversary, 1);
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
    keep(rising, RISE);
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
