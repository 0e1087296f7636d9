import { ENTRY_POINT_VERSIONS } from '@paymaster/domain';
import { Adversary, randomFrom, type Found } from './adversary';
import { SiphonWorld } from './siphon-world';

/** Wei per gas: a rollup, a calm and a usual day of the main chain, and a rush. */
const BASE_FEES_WEI = [2_000_000n, 500_000_000n, 15_000_000_000n, 300_000_000_000n] as const;

/**
 * What a bundle may bring at most, as a multiple of what its transaction costs: of one operation, and of several. Every
 * bundler wants each operation to pay as if it were alone, so several bring the fixed costs of all and have them once.
 */
export const MOST_RETURNED = { one: 1.1, many: 1.6 } as const;

/** The most that an attacker got, by EntryPoint version and base fee. */
export interface Searched {
  readonly one: readonly Found[];
  readonly many: readonly Found[];
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
  const found: Array<Adversary['best']> = [];
  let landedOperations = 0;
  try {
    for (const baseFeeWei of BASE_FEES_WEI) {
      await siphon.setBaseFee(baseFeeWei);
      for (const version of ENTRY_POINT_VERSIONS) {
        const adversary = new Adversary(siphon, { version, baseFeeWei }, randomFrom(seed));
        await adversary.search(plans);
        found.push(adversary.best);
        landedOperations += adversary.landedOperations;
        for (const best of [adversary.best.one, adversary.best.many]) if (best) tell(describeFound(best));
      }
    }
  } finally {
    await siphon.stop();
  }
  return {
    one: found.flatMap(({ one }) => one ?? []),
    many: found.flatMap(({ many }) => many ?? []),
    landedOperations,
  };
}

/** One line: what it brought, and the plan and fields that brought it. */
export function describeFound({ version, baseFeeWei, haul, plan, signed }: Found): string {
  const gwei = Number(baseFeeWei) / 1e9;
  const fields = JSON.stringify({ ...plan, ...signed });
  return `v${version} ${gwei} gwei, ${haul.operations} operations: ${haul.multiple.toFixed(3)} of ${haul.costWei} wei ${fields}`;
}
