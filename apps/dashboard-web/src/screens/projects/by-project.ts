import type { Schemas } from '../../api/queries';
import { moneyOf, type MoneySum } from '../../format/money';

type Paymaster = Schemas['PaymasterSummaryView'];
type Usage = Schemas['PaymasterUsageView'];

/** A paymaster with what happened there; its usage is undefined where nothing did. */
export interface UsedPaymaster extends Paymaster {
  readonly usage: Usage | undefined;
}

/** The paymasters that belong together, and all of them in one sum. */
export interface Project {
  /** Null: the paymasters that are in no project. */
  readonly name: string | null;
  readonly paymasters: readonly UsedPaymaster[];
  readonly sum: MoneySum & Pick<Usage, 'settled' | 'refused'>;
}

/** Projects by name, those without one last; paymasters in their order. */
export function byProject(paymasters: readonly Paymaster[], usage: readonly Usage[]): readonly Project[] {
  const names = [...new Set(paymasters.map(({ project }) => project))].sort((one, other) =>
    one === null ? 1 : other === null ? -1 : one.localeCompare(other),
  );
  return names.map((name) => {
    const own = paymasters
      .filter(({ project }) => project === name)
      .map((each) => ({ ...each, usage: usage.find(({ paymasterId }) => paymasterId === each.paymasterId) }));
    const used = own.flatMap((each) => each.usage ?? []);
    const count = (key: 'settled' | 'refused') => used.reduce((total, each) => total + each[key], 0);
    return { name, paymasters: own, sum: { ...moneyOf(used), settled: count('settled'), refused: count('refused') } };
  });
}
