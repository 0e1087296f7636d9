import { Badge, Button, Card, Group, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { chainStatesQuery, tenantPagesQuery, type Schemas } from '../../api/queries';
import { grouped } from '../../format/amount';
import { grossText, moneyOf, netText, receivedText } from '../../format/money';
import { Amount } from '../../ui/amount';
import { Empty } from '../../ui/empty';
import { useFolded } from '../../ui/folded';
import { Form } from '../../ui/form';
import { Hex } from '../../ui/hex';
import { Load } from '../../ui/load';
import { Older } from '../../ui/older';
import { When } from '../../ui/when';
import { WideTable } from '../../ui/wide-table';
import { ResumePaymaster } from './resume-paymaster';
import { SuspendPaymaster } from './suspend-paymaster';

/** More of an account's paymasters are folded. */
const FEW_PAYMASTERS = 10;

/** The accounts of the installation, the newest first. */
export function Tenants() {
  const { search } = useSearch({ from: '/signed-in/operator' });
  const navigate = useNavigate();
  const pages = useInfiniteQuery(tenantPagesQuery(search));
  return (
    <Stack>
      <Search key={search} />
      <Load of={pages} what="The accounts" height={300}>
        {({ pages: list }) =>
          list.every(({ tenants }) => tenants.length === 0) ? (
            <Card>
              <Empty
                title={search ? 'No account or paymaster fits this search' : 'No account yet'}
                action={
                  search && (
                    <Button variant="default" onClick={() => void navigate({ to: '.', search: {} })}>
                      Clear the search
                    </Button>
                  )
                }
              >
                {search
                  ? 'Search for a part of a name, or for a whole id of an account or a paymaster.'
                  : 'Make the first account on the command line: npm run account -- sign-in-code.'}
              </Empty>
            </Card>
          ) : (
            <Stack>
              {list.flatMap(({ tenants }) =>
                tenants.map((tenant) => <Tenant key={tenant.accountId} tenant={tenant} />),
              )}
              <Older of={pages} what="accounts" />
            </Stack>
          )
        }
      </Load>
    </Stack>
  );
}

function Search() {
  const { search = '' } = useSearch({ from: '/signed-in/operator' });
  const navigate = useNavigate();
  const [typed, setTyped] = useState(search);
  return (
    <Form onSubmit={() => void navigate({ to: '.', search: { search: typed.trim() || undefined } })}>
      <Group align="flex-end">
        <TextInput
          label="Account or paymaster"
          description="A part of its name, or its id."
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          maxLength={100}
          style={{ flex: '1 1 220px', maxWidth: 420 }}
        />
        <Button type="submit" variant="default">
          Search
        </Button>
      </Group>
    </Form>
  );
}

function Tenant({ tenant }: { readonly tenant: Schemas['TenantView'] }) {
  const { accountId, name, createdAt, members, paymasters, funds } = tenant;
  const { search } = useSearch({ from: '/signed-in/operator' });
  const { shown, more } = useFolded(foundFirst(paymasters, search), FEW_PAYMASTERS, 'paymasters');
  return (
    <Card>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4" className="breaks">
          {name}
        </Title>
        <Hex value={accountId} of="id of the account" />
      </Group>
      <Text size="sm" c="dimmed" mb="sm">
        {members === 1 ? '1 member' : `${grouped(members)} members`}, made <When iso={createdAt} relative />
      </Text>
      {funds.map((each) => (
        <Funds key={each.chainId} funds={each} />
      ))}
      {paymasters.length === 0 ? (
        <Text size="sm">No paymaster yet.</Text>
      ) : (
        <WideTable
          label={`Paymasters of ${name}`}
          minWidth={640}
          columns={['Paymaster', 'Chain', 'Last asked', 'State', 'Actions']}
        >
          {shown.map((paymaster) => (
            <PaymasterRow key={paymaster.paymasterId} paymaster={paymaster} />
          ))}
        </WideTable>
      )}
      {more}
    </Card>
  );
}

/** A search finds an account also by one of its paymasters, which must not be folded away then. */
function foundFirst(paymasters: readonly Schemas['TenantPaymasterView'][], search = '') {
  const wanted = search.toLowerCase();
  const isFound = ({ name, paymasterId }: Schemas['TenantPaymasterView']) =>
    wanted !== '' && (name.toLowerCase().includes(wanted) || paymasterId === wanted);
  return [...paymasters].sort((one, other) => Number(isFound(other)) - Number(isFound(one)));
}

/** What the wallets of a tenant can spend on a chain, and what its operations cost. */
function Funds({ funds }: { readonly funds: Schemas['ChainFundsView'] }) {
  const { chainId, spendableWei } = funds;
  const money = moneyOf([funds]);
  const { name, symbol } = useChainName(chainId);
  return (
    <Text size="sm" mb="sm" className="breaks">
      {name}:{' '}
      {spendableWei === null ? (
        'no gateway knows what its wallets can spend'
      ) : (
        <>
          its wallets can spend <Amount wei={spendableWei} symbol={symbol} />
        </>
      )}
      ; its operations of the last 30 days cost <Amount wei={money.spentWei} symbol={symbol} withoutUsd /> gross (
      {grossText(money)}). Received in tokens: {receivedText(money)}. Net: {netText(money)}.
    </Text>
  );
}

function useChainName(chainId: number): { readonly name: string; readonly symbol: string } {
  const { data: chains } = useQuery({ ...chainStatesQuery, refetchInterval: false });
  const { name = `chain ${chainId}`, nativeSymbol = '' } = chains?.find((chain) => chain.chainId === chainId) ?? {};
  return { name, symbol: nativeSymbol };
}

function PaymasterRow({ paymaster }: { readonly paymaster: Schemas['TenantPaymasterView'] }) {
  const { paymasterId, name, chainId, lastUsedAt, archivedAt, suspension } = paymaster;
  const chain = useChainName(chainId);
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" className="breaks">
          {name}
        </Text>
        <Hex value={paymasterId} of="id of the paymaster" />
      </Table.Td>
      <Table.Td>{chain.name}</Table.Td>
      <Table.Td>{lastUsedAt ? <When iso={lastUsedAt} relative /> : 'never'}</Table.Td>
      <Table.Td>
        <Stack gap={4} align="flex-start">
          {suspension && (
            <>
              <Badge color="red" variant="light" tt="none">
                suspended
              </Badge>
              <Text size="sm" className="breaks">
                {suspension.reason}
              </Text>
              <Text size="xs" c="dimmed">
                since <When iso={suspension.since} />
              </Text>
            </>
          )}
          {archivedAt && (
            <Badge color="gray" variant="light" tt="none">
              archived by its owner
            </Badge>
          )}
          {!suspension && !archivedAt && (
            <Badge color="green" variant="light" tt="none">
              may sign
            </Badge>
          )}
        </Stack>
      </Table.Td>
      <Table.Td>
        {suspension ? <ResumePaymaster paymaster={paymaster} /> : <SuspendPaymaster paymaster={paymaster} />}
      </Table.Td>
    </Table.Tr>
  );
}
