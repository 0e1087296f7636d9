import { ENTRY_POINT_VERSIONS } from '@paymaster/domain';
import { Adversary, randomFrom, type Found } from './adversary';
import { SiphonWorld } from './siphon-world';

/** Wei per gas: a rollup, a calm and a usual day of the main chain, and a rush. */
const BASE_FEES_WEI = [2_000_000n, 500_000_000n, 15_000_000_000n, 300_000_000_000n] as const;

/** More than the searches of a run: each has a seed of its own. */
const SEEDS = 1_000;

/** The most that an attacker got, by kind of plan, EntryPoint version and base fee. */
export interface Searched {
  readonly found: readonly Found[];
  readonly landedOperations: number;
}

/** Lets an adversary try so many plans for each EntryPoint version and base fee, against a gateway with default bounds. */
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

/** One line: what it brought and may bring, and the plan and fields that brought it. */
export function describeFound({ kind, version, baseFeeWei, haul, multiple, most, plan, signed }: Found): string {
  const brought = `${multiple.toFixed(3)} of ${most.toFixed(3)}, ${haul.operations} operations, ${haul.costWei} wei`;
  return `${kind} ${brought}, v${version}, ${gwei(baseFeeWei)}: ${JSON.stringify({ ...plan, ...signed })}`;
}

function gwei(wei: bigint): string {
  return `${Number(wei) / 1e9} gwei`;
}
