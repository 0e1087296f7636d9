import { useQuery } from '@tanstack/react-query';
import { pricesQuery } from '../api/queries';
import { useScope } from './use-scope';

/** A price beside an amount may be this old; it is asked of a gateway. */
const OFTEN_ENOUGH_MS = 60_000;

/** What a coin of the paymaster's chain is worth now; undefined where no gateway or no source says it. */
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
