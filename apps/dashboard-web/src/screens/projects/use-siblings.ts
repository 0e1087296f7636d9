import { useQuery } from '@tanstack/react-query';
import { chainsQuery, paymastersQuery, type Chain, type Schemas } from '../../api/queries';
import { useScope } from '../../shell/use-scope';

/** The other paymasters of the project of this one, archived ones left out; none where it is in no project. */
export function useSiblings(): readonly { readonly paymasterId: string; readonly label: string }[] {
  const { accountId, paymasterId } = useScope();
  const { data: paymasters = [] } = useQuery(paymastersQuery(accountId));
  const { data: chains = [] } = useQuery(chainsQuery(accountId));
  const own = paymasters.find((each) => each.paymasterId === paymasterId);
  return paymasters
    .filter((each) => each !== own && own?.project != null && each.project === own.project && each.archivedAt === null)
    .map((each) => ({ paymasterId: each.paymasterId, label: labelOf(each, chains) }));
}

/** As in `Shop (Base)`. */
export function labelOf(
  { name, chainId }: Pick<Schemas['PaymasterSummaryView'], 'name' | 'chainId'>,
  chains: readonly Chain[],
): string {
  return `${name} (${chains.find((chain) => chain.chainId === chainId)?.name ?? `chain ${chainId}`})`;
}
