import { List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { nameCall, type ReadCall } from '../../abi/decode-call';
import { contractsQuery } from '../../api/queries';
import { explorerLink, useChain, useScope } from '../../shell/use-scope';
import { Amount } from '../../ui/amount';
import { Hex } from '../../ui/hex';

/** What an operation calls, by the names of the registered contracts. */
export function Calls({ calls }: { readonly calls: readonly ReadCall[] | null }) {
  const { chain, symbol } = useChain();
  const { data: contracts = [] } = useQuery(contractsQuery(useScope()));
  if (!calls?.length) {
    return (
      <Text size="sm" c="dimmed">
        It makes no call, or its calls could not be read.
      </Text>
    );
  }
  return (
    <List spacing={6} size="sm" type="ordered">
      {calls.map((target, index) => {
        const { contract, method, args } = nameCall(target, contracts);
        return (
          <List.Item key={index}>
            <span className="mono breaks">
              {method?.signature ?? target.selector ?? 'a transfer without call data'}
            </span>{' '}
            on {contract ? <b>{contract}</b> : 'an unregistered contract'}{' '}
            <Hex value={target.to} of="address" href={explorerLink(chain, 'address', target.to)} />
            {target.valueWei !== '0' && (
              <>
                {' '}
                sending <Amount wei={target.valueWei} symbol={symbol} />
              </>
            )}
            {args?.map(({ name, value }, at) => (
              <Text key={at} size="xs" c="dimmed" className="breaks" lineClamp={4}>
                {name}: <span className="mono">{value}</span>
              </Text>
            ))}
          </List.Item>
        );
      })}
    </List>
  );
}
