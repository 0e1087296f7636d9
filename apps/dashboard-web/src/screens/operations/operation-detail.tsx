import { Alert, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { operationCallsQuery, type Operation } from '../../api/queries';
import { explorerLink, useChain, useScope } from '../../shell/use-scope';
import { Amount } from '../../ui/amount';
import { Facts, type Fact } from '../../ui/facts';
import { Hex } from '../../ui/hex';
import { StateBadge, STATES } from '../../ui/state-badge';
import { When } from '../../ui/when';
import { BundlerAlert } from './bundler-alert';
import { Calls } from './calls';
import { Trace } from './trace';
import { Why } from './why';

/** One operation: what it was, why it became what it became, what it called and what it cost. */
export function OperationDetail({ operation }: { readonly operation: Operation }) {
  const { chain, symbol } = useChain();
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
      <BundlerAlert operation={operation} />
      <section>
        <Title order={3} size="h5" mb={6}>
          Calls
        </Title>
        <CallsOf operation={operation} />
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

/** With their arguments, where the operation landed and its transaction tells them. */
function CallsOf({ operation }: { readonly operation: Operation }) {
  const { data, error } = useQuery(operationCallsQuery(useScope(), operation));
  const problem = data ? data.message : error && 'They could not be read at the moment.';
  return (
    <>
      <Calls calls={data?.calls ?? operation.targets} />
      {operation.transactionHash && problem && (
        <Text size="xs" c="dimmed" mt={6}>
          Without arguments. {problem}
        </Text>
      )}
    </>
  );
}

function costRows(operation: Operation, symbol: string): readonly Fact[] {
  const wei = (value: string | null, none: string) => (value === null ? none : <Amount wei={value} symbol={symbol} />);
  return [
    ['At most', wei(operation.expectedCostWei, 'not signed')],
    ['Charged', wei(operation.actualCostWei, operation.state === 'granted' ? 'not yet' : 'nothing')],
    ['Of it gas', wei(operation.gasCostWei, 'nothing')],
    ['Paid by', operation.fundingWallet ? <Hex value={operation.fundingWallet} of="address" /> : 'no wallet'],
  ];
}

function identityRows(operation: Operation, chain: Parameters<typeof explorerLink>[0]): readonly Fact[] {
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
