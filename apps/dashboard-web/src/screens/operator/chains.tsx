import { Alert, Badge, Card, Group, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { chainStatesQuery, type Schemas } from '../../api/queries';
import { grouped } from '../../format/amount';
import { spanOf } from '../../format/time';
import { Amount } from '../../ui/amount';
import { Empty } from '../../ui/empty';
import { Facts } from '../../ui/facts';
import { Hex } from '../../ui/hex';
import { Icon } from '../../ui/icon';
import { Load } from '../../ui/load';
import { When } from '../../ui/when';
import { WideTable } from '../../ui/wide-table';

type Gateway = NonNullable<Schemas['ChainStateView']['gateway']>;

/** Each chain with its contracts, its providers and the keys that sign for it. */
export function Chains() {
  const chains = useQuery(chainStatesQuery);
  return (
    <Load of={chains} what="The chains" height={300}>
      {(list) =>
        list.length === 0 ? (
          <Card>
            <Empty title="No chain is served">Add a chain to chains.json, and start the services again.</Empty>
          </Card>
        ) : (
          <Stack>
            {list.map((chain) => (
              <Chain key={chain.chainId} chain={chain} />
            ))}
          </Stack>
        )
      }
    </Load>
  );
}

function Chain({ chain }: { readonly chain: Schemas['ChainStateView'] }) {
  const { chainId, name, nativeSymbol, contracts, gateway } = chain;
  return (
    <Card>
      <Stack>
        <Group justify="space-between">
          <Title order={2} size="h4" className="breaks">
            {name}
          </Title>
          <Text size="sm" c="dimmed">
            chain {chainId}
          </Text>
        </Group>
        {gateway ? (
          <Head gateway={gateway} />
        ) : (
          <Alert color="red" icon={<Icon name="warning" />} title="No gateway answers for this chain">
            Head, providers and signers are not known. If a gateway runs, look at its log and at NATS.
          </Alert>
        )}
        <Contracts contracts={contracts} symbol={nativeSymbol} of={name} />
        {gateway && <Signers signers={gateway.signers} of={name} />}
        {gateway && <Providers providers={gateway.providers} of={name} />}
      </Stack>
    </Card>
  );
}

function Head({ gateway: { head, books } }: { readonly gateway: Gateway }) {
  return (
    <Facts
      rows={[
        ['Head', head ? `block ${head.blockNumber}, ${spanOf(Math.round(head.ageSeconds))} old` : 'not seen yet'],
        ['Settlement', settlementOf(books)],
      ]}
    />
  );
}

function settlementOf(books: Gateway['books']): string {
  if (books === null) return 'its books cannot be read: nothing is signed';
  if (books.haltedReason !== null) return `halted, nothing is signed: ${books.haltedReason}`;
  return books.lagSeconds === null ? 'not compared with the head yet' : `${spanOf(books.lagSeconds)} behind the head`;
}

interface Named {
  /** Of the chain, for the names of tables. */
  readonly of: string;
}

function Contracts({
  contracts,
  symbol,
  of,
}: Named & { readonly contracts: readonly Schemas['ContractStateView'][]; readonly symbol: string }) {
  const amount = (wei: string | null) => (wei === null ? 'not known' : <Amount wei={wei} symbol={symbol} />);
  return (
    <div>
      <Title order={3} size="h5">
        Paymaster contracts
      </Title>
      <WideTable
        label={`Paymaster contracts on ${of}`}
        minWidth={680}
        columns={['Version', 'EntryPoint', 'Contract', 'Deposit', 'Stake']}
      >
        {contracts.map(({ version, entryPoint, paymaster, depositWei, stakeWei }) => (
          <Table.Tr key={paymaster}>
            <Table.Td>v{version}</Table.Td>
            <Table.Td>
              <Hex value={entryPoint} of="address" />
            </Table.Td>
            <Table.Td>
              <Hex value={paymaster} of="address" />
            </Table.Td>
            <Table.Td>{amount(depositWei)}</Table.Td>
            <Table.Td>{amount(stakeWei)}</Table.Td>
          </Table.Tr>
        ))}
      </WideTable>
    </div>
  );
}

function Signers({ signers, of }: Named & { readonly signers: Gateway['signers'] }) {
  return (
    <div>
      <Title order={3} size="h5">
        Signers
      </Title>
      <WideTable label={`Signers on ${of}`} minWidth={560} columns={['Name', 'Address', 'State', 'Contracts']}>
        {signers.map(({ name, address, isUp, downBecause, contracts }) => (
          <Table.Tr key={address}>
            <Table.Td className="breaks">{name}</Table.Td>
            <Table.Td>
              <Hex value={address} of="address" />
            </Table.Td>
            <Table.Td>
              <Working isUp={isUp} />
              {downBecause && <Text size="xs">{downBecause}</Text>}
            </Table.Td>
            <Table.Td>
              {contracts.map(({ version, isAccepted, activeFrom }) => (
                <Text size="sm" key={version}>
                  v{version}: {isAccepted ? 'accepted' : 'not accepted'}
                  {activeFrom && (
                    <>
                      {' '}
                      before <When iso={activeFrom} />
                    </>
                  )}
                </Text>
              ))}
            </Table.Td>
          </Table.Tr>
        ))}
      </WideTable>
    </div>
  );
}

function Providers({ providers, of }: Named & { readonly providers: Gateway['providers'] }) {
  return (
    <div>
      <Title order={3} size="h5">
        Providers
      </Title>
      <WideTable
        label={`Providers of ${of}`}
        minWidth={560}
        columns={['Host', 'Used for', 'State', 'Blocks behind', 'Calls, failed']}
      >
        {providers.map(({ host, use, isUp, lagBlocks, calls }) => (
          <Table.Tr key={`${host} ${use}`}>
            <Table.Td className="breaks">{host}</Table.Td>
            <Table.Td>{use}</Table.Td>
            <Table.Td>
              <Working isUp={isUp} />
            </Table.Td>
            <Table.Td className="numbers">{lagBlocks === null ? 'not known' : grouped(lagBlocks)}</Table.Td>
            <Table.Td className="numbers">
              {grouped(calls.answered + calls.failed)}, {grouped(calls.failed)}
            </Table.Td>
          </Table.Tr>
        ))}
      </WideTable>
    </div>
  );
}

function Working({ isUp }: { readonly isUp: boolean }) {
  return (
    <Badge color={isUp ? 'green' : 'red'} variant="light" tt="none">
      {isUp ? 'works' : 'down'}
    </Badge>
  );
}
