import { useQuery } from '@tanstack/react-query';
import { pricesQuery } from '../api/queries';
import { useScope } from './use-scope';

/**
 * A price shown beside an amount may be a minute old. Each answer costs a question to a gateway, so the page does not
 * ask more often.
 */
const OFTEN_ENOUGH_MS = 60_000;

/** What a coin of the paymaster's chain costs, in USD; undefined while no gateway answers or no source has a price. */
export function useCoinPrice(): string | undefined {
  const scope = useScope();
  const { data } = useQuery({
    ...pricesQuery(scope),
    enabled: scope.paymasterId !== '',
    refetchInterval: OFTEN_ENOUGH_MS,
    retry: false,
  });
  return data?.nativeUsd ?? undefined;
}
