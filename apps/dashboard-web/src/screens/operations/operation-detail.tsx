import { Alert, Group, List, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { nameCall } from '../../abi/decode-call';
import { contractsQuery, type Operation } from '../../api/queries';
import { explorerLink, useChain, useScope } from '../../shell/use-scope';
import { Amount } from '../../ui/amount';
import { Hex } from '../../ui/hex';
import { StateBadge, STATES } from '../../ui/state-badge';
import { When } from '../../ui/when';
import { Trace } from './trace';
import { Why } from './why';

/** One operation: what it was, why it became what it became, what it called and what it cost. */
export function OperationDetail({ operation }: { readonly operation: Operation }) {
  const { chain, symbol } = useChain();
  const { data: contracts = [] } = useQuery(contractsQuery(useScope()));
  return (
    <Stack gap="lg">
      <Group>
        <StateBadge operation={operation} />
        <Text size="sm">{STATES[operation.state].means}</Text>
      </Group>
      {operation.state === 'refused' && <Why operation={operation} />}
      {operation.success === false && (
        <Alert color="orange" title="The calls reverted">
          The operation is on chain and its gas was paid, but its calls failed. Nothing else of it took effect.
        </Alert>
      )}
      {operation.voidReason && (
        <Alert color="gray" title="It never landed">
          {operation.voidReason === 'nonceUsed'
            ? 'Another operation of the account used the same nonce. What was held for this one is free again.'
            : 'Its signature expired before a bundler included it. What was held for it is free again.'}
        </Alert>
      )}
      <section>
        <Title order={3} size="h5" mb={6}>
          Calls
        </Title>
        {operation.targets?.length ? (
          <List spacing={6} size="sm" type="ordered">
            {operation.targets.map((target, index) => {
              const { contract, method } = nameCall(target, contracts);
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
                </List.Item>
              );
            })}
          </List>
        ) : (
          <Text size="sm" c="dimmed">
            It makes no call, or its calls could not be read.
          </Text>
        )}
      </section>
      <section>
        <Title order={3} size="h5" mb={6}>
          Cost
        </Title>
        <Facts rows={costRows(operation, symbol)} />
      </section>
      <section>
        <Title order={3} size="h5" mb={6}>
          How it was decided
        </Title>
        <Trace lines={operation.trace} />
      </section>
      <section>
        <Title order={3} size="h5" mb={6}>
          Identity
        </Title>
        <Facts rows={identityRows(operation, chain)} />
      </section>
    </Stack>
  );
}

type Row = readonly [string, React.ReactNode];

function Facts({ rows }: { readonly rows: readonly Row[] }) {
  return (
    <Table variant="vertical" withRowBorders={false} verticalSpacing={4}>
      <Table.Tbody>
        {rows.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th w={150} style={{ background: 'none' }}>
              {name}
            </Table.Th>
            <Table.Td className="breaks">{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function costRows(operation: Operation, symbol: string): readonly Row[] {
  const wei = (value: string | null, none: string) => (value === null ? none : <Amount wei={value} symbol={symbol} />);
  return [
    ['At most', wei(operation.expectedCostWei, 'not signed')],
    ['Charged', wei(operation.actualCostWei, operation.state === 'granted' ? 'not yet' : 'nothing')],
    ['Of it gas', wei(operation.gasCostWei, 'nothing')],
    ['Paid by', operation.fundingWallet ? <Hex value={operation.fundingWallet} of="address" /> : 'no wallet'],
  ];
}

function identityRows(operation: Operation, chain: Parameters<typeof explorerLink>[0]): readonly Row[] {
  const { sender, userOpHash, transactionHash } = operation;
  return [
    ['Account', <Hex key="s" value={sender} of="address" href={explorerLink(chain, 'address', sender)} />],
    [
      'Nonce',
      <span key="n" className="mono">
        {operation.nonce}
      </span>,
    ],
    ['EntryPoint', `v${operation.entryPointVersion}`],
    ['Operation hash', userOpHash ? <Hex key="u" value={userOpHash} of="operation hash" /> : 'not known'],
    [
      'Transaction',
      transactionHash ? (
        <Hex key="t" value={transactionHash} of="transaction hash" href={explorerLink(chain, 'tx', transactionHash)} />
      ) : (
        'none'
      ),
    ],
    ['Block', operation.blockNumber ?? 'none'],
    ['Asked', <When key="c" iso={operation.createdAt} />],
    ['Last change', <When key="l" iso={operation.updatedAt} />],
    ['Signatures', String(operation.grants)],
    ['Request id', operation.requestId ? <Hex key="r" value={operation.requestId} of="request id" full /> : 'none'],
  ];
}
