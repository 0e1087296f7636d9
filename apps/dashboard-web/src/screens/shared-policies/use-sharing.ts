import { useQuery } from '@tanstack/react-query';
import { chainsQuery, sharingPaymastersQuery } from '../../api/queries';
import { useScope } from '../../shell/use-scope';

/** What an amount is counted in when its paymasters are on chains with different coins. */
const ANY_COIN = 'coin';

/** The paymasters of the account, as shared policies name them. */
export function useSharing() {
  const { accountId } = useScope();
  const { data: paymasters = [] } = useQuery(sharingPaymastersQuery(accountId));
  const { data: chains = [] } = useQuery(chainsQuery(accountId));
  const symbolOf = (paymasterId: string) => {
    const chainId = paymasters.find((each) => each.paymasterId === paymasterId)?.chainId;
    return chains.find((chain) => chain.chainId === chainId)?.nativeSymbol;
  };
  const labelled = paymasters.map(({ paymasterId, name, chainId }) => {
    const chain = chains.find((each) => each.chainId === chainId)?.name ?? `chain ${chainId}`;
    return { paymasterId, label: `${name} (${chain})` };
  });
  return {
    paymasters: labelled,
    labelsOf: (paymasterIds: readonly string[]): string[] =>
      paymasterIds.map((id) => labelled.find(({ paymasterId }) => paymasterId === id)?.label ?? id),
    /** The coin of these paymasters' chains, or `coin` where these coins differ or are not known. */
    coinOf: (paymasterIds: readonly string[]): string => {
      const symbols = new Set(paymasterIds.map(symbolOf));
      const [symbol] = symbols;
      return symbols.size === 1 && symbol ? symbol : ANY_COIN;
    },
  };
}
