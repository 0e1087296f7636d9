import { Badge, Button, Card, Group, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { PRICE_SOURCES, sourcesOf } from '@paymaster/domain';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { pricesQuery, tokensQuery, type Schemas } from '../../api/queries';
import { groupedDecimal } from '../../format/amount';
import { explorerLink, useChain, useRole, useScope } from '../../shell/use-scope';
import { asked, Confirm } from '../../ui/confirm';
import { EditDialog } from '../../ui/edit-dialog';
import { Empty } from '../../ui/empty';
import { Hex } from '../../ui/hex';
import { Load } from '../../ui/load';
import { Page } from '../../ui/page';
import { Problem } from '../../ui/problem';
import { WideTable } from '../../ui/wide-table';
import { Exposure, PriceNow } from './price-now';
import { textOf, WAYS, type Token } from './token-draft';
import { TokenForm } from './token-form';

/** Tokens in which users can pay for their gas. */
export function TokensScreen() {
  const { mayChangeMoney } = useRole();
  const { chain, symbol } = useChain();
  const scope = useScope();
  const tokens = useQuery(tokensQuery(scope));
  const prices = useQuery({ ...pricesQuery(scope), enabled: tokens.data !== undefined && tokens.data.length > 0 });
  const [opened, { open, close }] = useDisclosure(false);
  const addButton = mayChangeMoney && chain?.tokenMode && <Button onClick={open}>Add a token</Button>;
  return (
    <Page
      title="Tokens"
      sub="In which tokens users can pay, at what price, and how much may be unpaid."
      actions={addButton}
    >
      {prices.error && !prices.data && (
        <Problem error={prices.error} what="The prices could not be read" retry={() => void prices.refetch()} />
      )}
      {prices.data?.nativeUsd && (
        <Text size="sm">
          1 {symbol} is worth {groupedDecimal(prices.data.nativeUsd)} USD now.
        </Text>
      )}
      <Card>
        <Load of={tokens} what="The tokens">
          {(list) =>
            list.length === 0 ? (
              <Empty title="No token yet" action={addButton}>
                {chain?.tokenMode === false
                  ? 'The operator has set up no prices for this chain, so nobody can pay in tokens here.'
                  : 'Add a token, and users can pay for their gas in it. The wallet still pays the chain in coin.'}
              </Empty>
            ) : (
              <WideTable
                label="Tokens"
                minWidth={960}
                columns={['Token', 'Price now', 'Set up with', 'Premium', 'Charged by', 'Unpaid', 'Actions']}
              >
                {list.map((token) => (
                  <TokenRow
                    key={token.address}
                    token={token}
                    price={prices.data?.tokens.find(({ address }) => address === token.address)}
                  />
                ))}
              </WideTable>
            )
          }
        </Load>
      </Card>
      <EditDialog opened={opened} onClose={close} title="Add a token" size="lg">
        <TokenForm onDone={close} />
      </EditDialog>
    </Page>
  );
}

interface RowProps {
  readonly token: Token;
  readonly price: Schemas['TokenPriceView'] | undefined;
}

function TokenRow({ token, price }: RowProps) {
  const scope = useScope();
  const { mayChangeMoney } = useRole();
  const { chain } = useChain();
  const queries = useQueryClient();
  const [isEdited, { open, close }] = useDisclosure(false);
  const remove = useMutation({
    mutationFn: () =>
      contentOf(api.DELETE(`${SDK}/token`, { headers: headersOf(scope), body: { address: token.address } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: tokensQuery(scope).queryKey }),
  });
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap={6}>
          <Text fw={600} className="breaks">
            {token.symbol}
          </Text>
          <Badge variant="light" color={token.source === 'paymaster' ? 'cyan' : 'gray'} tt="none">
            {token.source === 'paymaster' ? 'yours' : 'of the operator'}
          </Badge>
        </Group>
        <Hex value={token.address} of="address" href={explorerLink(chain, 'address', token.address)} />
      </Table.Td>
      <Table.Td>
        <PriceNow price={price} />
      </Table.Td>
      <Table.Td className="breaks">
        {sourcesShown(token.price).map((source) => (
          <div key={source}>{source}</div>
        ))}
      </Table.Td>
      <Table.Td>{token.premiumPercentage} %</Table.Td>
      <Table.Td>{token.chargingWays.map((way) => WAYS[way]).join(', ')}</Table.Td>
      <Table.Td>
        <Exposure price={price} />
      </Table.Td>
      <Table.Td>
        {mayChangeMoney && token.source === 'paymaster' && (
          <Group gap="xs" wrap="nowrap">
            <Button size="xs" variant="default" onClick={open} aria-label={`Edit ${token.symbol}`}>
              Edit
            </Button>
            <Confirm action="Remove" label={`Remove ${token.symbol}`} {...asked(remove)}>
              Users can no longer pay in <b>{token.symbol}</b>. Quotes that were given are refused.
            </Confirm>
            <EditDialog opened={isEdited} onClose={close} title={`Token ${token.symbol}`} size="lg">
              <TokenForm token={token} onDone={close} />
            </EditDialog>
          </Group>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

function sourcesShown(price: Token['price']): string[] {
  return sourcesOf(price).map((name) => {
    const { kind, label } = PRICE_SOURCES[name];
    const text = textOf(price[name]);
    return `${label}: ${kind === 'feed' ? `${text.slice(0, 8)}…` : text}`;
  });
}
