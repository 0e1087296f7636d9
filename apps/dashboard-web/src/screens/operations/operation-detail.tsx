import { Alert, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { operationCallsQuery, tokensQuery, type Operation } from '../../api/queries';
import { grouped } from '../../format/amount';
import { tokenRate } from '../../format/token';
import { explorerLink, useChain, useScope } from '../../shell/use-scope';
import { Amount, TokenAmount } from '../../ui/amount';
import { Facts, type Fact } from '../../ui/facts';
import { Hex } from '../../ui/hex';
import { StateBadge, STATES } from '../../ui/state-badge';
import { When } from '../../ui/when';
import { BundlerAlert } from './bundler-alert';
import { Calls } from './calls';
import type { Known } from './row-texts';
import { Trace } from './trace';
import { useKnown } from './use-known';
import { Why } from './why';

/** One operation: what it was, why it became what it became, what it called and what it cost. */
export function OperationDetail({ operation }: { readonly operation: Operation }) {
  const { chain } = useChain();
  const policy = policyNameOf(operation, useKnown());
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
        <CostOf operation={operation} />
      </section>
      <section>
        <Title order={3} size="h5" mb={6}>
          How it was decided
        </Title>
        {policy !== null && (
          <Text size="sm" mb={6}>
            The policy “{policy}” allowed it.
          </Text>
        )}
        <Trace lines={operation.trace} isSponsored={operation.state !== 'refused'} />
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

/** Of the policy that allowed it; null where none did. */
function policyNameOf({ policyId, state }: Operation, { policies }: Known): string | null {
  if (policyId === null || state === 'refused') return null;
  return policies.get(policyId) ?? policyId;
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

function CostOf({ operation }: { readonly operation: Operation }) {
  const { symbol } = useChain();
  const { actualCostWei, expectedCostWei, gasCostWei, fundingWallet, mode, state } = operation;
  const received = useReceived(operation);
  const wei = (value: string | null, none: string) => (value === null ? none : <Amount wei={value} symbol={symbol} />);
  const rows: Fact[] = [
    ['At most', wei(expectedCostWei, 'not signed')],
    ['Charged, gross', wei(actualCostWei, state === 'granted' ? 'not yet' : 'nothing')],
    ['Of that, for gas', wei(gasCostWei, 'nothing')],
    ['Paid by', fundingWallet ? <Hex value={fundingWallet} of="address" /> : 'no wallet'],
  ];
  return <Facts rows={mode === 'token' && actualCostWei !== null ? [...rows, ...received] : rows} />;
}

/** What the user paid in a token. The books keep wei only, so it is read from the chain. */
function useReceived(operation: Operation): readonly Fact[] {
  const scope = useScope();
  const { symbol } = useChain();
  const { data, isPending } = useQuery(operationCallsQuery(scope, operation));
  const { data: tokens } = useQuery({ ...tokensQuery(scope), enabled: operation.mode === 'token' });
  const paid = data?.tokenPayment;
  if (isPending) return [['Received in tokens', 'is being read']];
  if (!paid) return [['Received in tokens', 'not recorded']];
  const token = tokens?.find(({ address }) => address === paid.token);
  if (!token) {
    return [
      ['Received in tokens', `${grouped(paid.amount)} base units`],
      ['Token', <Hex key="t" value={paid.token} of="address" />],
    ];
  }
  const rate = tokenRate(paid.amount, operation.actualCostWei ?? '0', token);
  return [
    ['Received in tokens', <TokenAmount key="a" amount={paid.amount} token={token} />],
    ['Token', <Hex key="t" value={paid.token} of="address" />],
    ['Rate', rate ? `${rate} for 1 ${symbol}` : 'not recorded'],
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
