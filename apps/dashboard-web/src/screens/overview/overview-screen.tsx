import { Alert, Anchor, Button, Card, Group, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useState, useSyncExternalStore } from 'react';
import { lost } from '../../api/connection';
import {
  chainsQuery,
  contractNamesQuery,
  newestOperationsQuery,
  paymastersQuery,
  policiesQuery,
  settingsQuery,
  sharedPoliciesQuery,
  usageQuery,
  usageSplitQuery,
  walletQuery,
  type Schemas,
} from '../../api/queries';
import { whenReachable } from '../../api/when-reachable';
import { grouped } from '../../format/amount';
import { grossText, moneyOf, netText, receivedText } from '../../format/money';
import { runway } from '../../format/time';
import { useChain, useScope, useSuspension } from '../../shell/use-scope';
import { Amount } from '../../ui/amount';
import { Icon } from '../../ui/icon';
import { Load } from '../../ui/load';
import { Page } from '../../ui/page';
import { NearNetworks } from './near-networks';
import { partOf } from './part-name';
import { Refusals } from './refusals';
import { concernsOf, sharedBy, shortestRunway, sumsOf, type Facts } from './summary';
import { UsageSplit } from './usage-split';

// Loaded at once with the screen, and not when the numbers are there.
const chart = whenReachable(() => import('./usage-over-time'));
const UsageOverTime = lazy(async () => ({ default: (await chart).UsageOverTime }));
const ReleaseBrake = lazy(async () => ({
  default: (await whenReachable(() => import('./release-brake'))).ReleaseBrake,
}));

/** Of the chart with its legend. */
const CHART_HEIGHT = 300;
/** Enough refusals to say which reasons are frequent. */
const REFUSALS_LOOKED_AT = 200;

/** Is it fine, how long does the money last, and what needs attention. */
export function OverviewScreen() {
  const scope = useScope();
  const search = useSearch({ from: '/signed-in/a/$accountId/p/$paymasterId/' });
  const { span } = search;
  const navigate = useNavigate();
  const wallet = useQuery(walletQuery(scope));
  const contracts = useQuery(contractNamesQuery(scope));
  const settings = useQuery(settingsQuery(scope));
  const policies = useQuery(policiesQuery(scope));
  const shared = useQuery(sharedPoliciesQuery(scope.accountId));
  const usage = useQuery(usageQuery(scope, span === '30d' ? 'day' : 'hour'));
  const paymasters = useQuery(paymastersQuery(scope.accountId));
  const chains = useQuery(chainsQuery(scope.accountId));
  const [firstPart] = useState(() => partOf(search.by));
  const parts = useQuery(usageSplitQuery(scope, firstPart));
  const modes = useQuery(usageSplitQuery(scope, 'mode'));
  // Together, or each that comes would push down what the reader has begun to read.
  const isComing = [wallet, contracts, settings, policies, shared, usage, paymasters, chains, parts, modes].some(
    isUnknown,
  );
  return (
    <Page
      title="Overview"
      sub="Is it fine, and how long does the money last?"
      actions={
        <SegmentedControl
          value={span ?? '24h'}
          data={[
            { value: '24h', label: '24 hours' },
            { value: '30d', label: '30 days' },
          ]}
          onChange={(value) =>
            void navigate({ to: '.', search: { ...search, span: value === '30d' ? value : undefined } })
          }
          aria-label="Period"
        />
      }
    >
      {isComing ? (
        <Stack gap="lg" mih="100vh" role="status" aria-busy="true" aria-label="The overview is on its way">
          <Skeleton height={78} />
          <Skeleton height={110} />
          <Skeleton height={CHART_HEIGHT + 70} />
        </Stack>
      ) : (
        <>
          <Load of={wallet} what="The wallet" height={90}>
            {(report) => (
              <>
                <NearNetworks networks={report.nearNetworks} />
                <Health
                  report={report}
                  contracts={contracts.data}
                  settings={settings.data}
                  policies={
                    policies.data && shared.data && [...policies.data, ...sharedBy(scope.paymasterId, shared.data)]
                  }
                  usage={usage.data}
                />
                <Load of={usage} what="The usage" height={320}>
                  {(points) => (
                    <Stack gap="lg">
                      <Numbers report={report} points={points} period={span === '30d' ? '30 days' : '24 h'} />
                      <Suspense fallback={<Skeleton height={CHART_HEIGHT + 70} />}>
                        <UsageOverTime usage={points} interval={span === '30d' ? 'day' : 'hour'} />
                      </Suspense>
                    </Stack>
                  )}
                </Load>
              </>
            )}
          </Load>
          <Below />
        </>
      )}
    </Page>
  );
}

/** What it was spent on, and why requests were refused. The latter is the longest answer, so it is asked for last. */
function Below() {
  const scope = useScope();
  const refusals = useQuery(newestOperationsQuery(scope, { state: 'refused' }, REFUSALS_LOOKED_AT));
  return (
    <>
      <UsageSplit />
      <Load of={refusals} what="The refusals">
        {({ operations }) => <Refusals operations={operations} />}
      </Load>
    </>
  );
}

/** Neither read, nor found to fail: a query that fails is asked again, and what stands below it stays meanwhile. */
const isUnknown = ({ data, failureCount, errorUpdateCount }: UseQueryResult) =>
  data === undefined && failureCount + errorUpdateCount === 0;

interface HealthProps {
  readonly report: Schemas['WalletReportView'];
  readonly contracts: readonly Schemas['SmartContractView'][] | undefined;
  readonly settings: Schemas['SettingsView'] | undefined;
  readonly policies: Facts['policies'];
  readonly usage: readonly Schemas['UsageView'][] | undefined;
}

/** One sentence that says whether all is well, and each thing that is not. */
function Health({ report, contracts, settings, policies, usage }: HealthProps) {
  const { accountId, paymasterId } = useScope();
  const isSuspended = useSuspension() !== null;
  const concerns = useMemo(
    () => concernsOf({ report, contracts, settings, policies, usage: usage ?? [] }),
    [report, contracts, settings, policies, usage],
  );
  const isOffline = useSyncExternalStore(lost.subscribe, lost.get);
  if (concerns.length === 0) {
    // The banner above, or the notice of the connection, says what is not.
    if (isSuspended || isOffline) return null;
    // What is not known yet is not well.
    if (!contracts || !settings || !policies || !usage) return null;
    return (
      <Alert color="green" icon={<Icon name="check" />} title="All is well">
        The wallet is linked and filled, contracts are registered, and a limit is set.
      </Alert>
    );
  }
  return (
    <Stack gap="sm">
      {concerns.map(({ id, title, advice, path, link, isUrgent }) => (
        <Alert key={id} color={isUrgent ? 'red' : 'yellow'} icon={<Icon name="warning" />} title={title}>
          <Stack gap={4}>
            <Text size="sm">{advice}</Text>
            {id === 'brake' ? (
              <Suspense fallback={<div style={{ height: 30 }} />}>
                <ReleaseBrake />
              </Suspense>
            ) : (
              <Group>
                <Button component={Link} to={`/a/${accountId}/p/${paymasterId}${path}`} size="xs" variant="default">
                  {link}
                </Button>
              </Group>
            )}
          </Stack>
        </Alert>
      ))}
    </Stack>
  );
}

interface NumbersProps {
  readonly report: Schemas['WalletReportView'];
  readonly points: readonly Schemas['UsageView'][];
  readonly period: string;
}

function Numbers({ report, points, period }: NumbersProps) {
  const { symbol } = useChain();
  const { accountId, paymasterId } = useScope();
  const sums = sumsOf(points);
  const money = moneyOf(points);
  const balance = report.accounts.reduce((sum, { spendableWei }) => sum + BigInt(spendableWei), 0n);
  const numbers = [
    ['Money lasts', runway(shortestRunway(report)), 'at the rate of the last 24 h'],
    ['Can be spent', <Amount key="b" wei={balance} symbol={symbol} />, 'over all EntryPoints'],
    ['Landed', grouped(sums.settled), `operations in ${period}`],
    ['Refused', grouped(sums.refused), `requests in ${period}`],
    [
      'Spent, gross',
      <Amount key="s" wei={money.spentWei} symbol={symbol} withoutUsd />,
      `${grossText(money)}, in ${period}`,
    ],
    ['Received in tokens', receivedText(money), `from users, in ${period}`],
    ['Net', netText(money), `gross less received, in ${period}`],
  ] as const;
  return (
    <div className="figures">
      <div>
        {numbers.map(([name, value, unit]) => (
          <Card key={name} padding="sm">
            <Text size="sm" c="dimmed">
              {name}
            </Text>
            <div className="figure">
              {name === 'Refused' ? (
                <Anchor component={Link} to={`/a/${accountId}/p/${paymasterId}/operations?state=refused`} inherit>
                  {value}
                </Anchor>
              ) : (
                value
              )}
            </div>
            <Text size="xs" c="dimmed">
              {unit}
            </Text>
          </Card>
        ))}
      </div>
    </div>
  );
}
