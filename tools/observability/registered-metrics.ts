import { HealthService, Metrics } from '@paymaster/nest-kit';
import type { OpenedSigners } from '@paymaster/signers';
import { BacklogGauges } from '../../apps/dashboard/src/metrics/backlog-gauges';
import { DashboardGauges } from '../../apps/dashboard/src/metrics/dashboard-gauges';
import { DeliveryMetrics } from '../../apps/dashboard/src/outbound/webhooks/delivery-metrics';
import { measureRequests } from '../../apps/dashboard/src/metrics/http-metrics';
import { StreamGauges } from '../../apps/dashboard/src/metrics/stream-gauges';
import { ChainGauges } from '../../apps/paymaster-rpc/src/metrics/chain-gauges';
import { DecisionMetrics } from '../../apps/paymaster-rpc/src/decide/webhooks/decision-metrics';
import { LedgerGauges } from '../../apps/paymaster-rpc/src/metrics/ledger-gauges';
import { PolicyGauges } from '../../apps/paymaster-rpc/src/metrics/policy-gauges';
import { RateGauges } from '../../apps/paymaster-rpc/src/metrics/rate-gauges';
import { ReserveMetrics } from '../../apps/paymaster-rpc/src/chains/reserve-metrics';
import { RpcMetrics } from '../../apps/paymaster-rpc/src/metrics/rpc-metrics';
import { SignerMetrics } from '../../apps/paymaster-rpc/src/metrics/signer-metrics';
import { TokenGauges } from '../../apps/paymaster-rpc/src/metrics/token-gauges';
import { ExposureGauges } from '../../apps/settlement/src/gauges/exposure-gauges';
import { LedgerMetrics } from '../../apps/settlement/src/metrics/ledger-metrics';
import { SettlementGauges } from '../../apps/settlement/src/gauges/settlement-gauges';
import { WalletGauges } from '../../apps/settlement/src/gauges/wallet-gauges';
import { ReadyGauge } from '../../libs/nest-kit/src/health/ready-gauge';

/** A metric as an app registers it. */
export interface RegisteredMetric {
  readonly type: string;
  readonly labels: readonly string[];
}

/** What is read only when somebody scrapes; nobody does here. */
const UNREAD = undefined as never;

/** The registries of the three apps, made by the apps' own classes; what they are connected to is not needed for names. */
export async function registeredMetrics(): Promise<ReadonlyMap<string, RegisteredMetric>> {
  const registries = [gateway(), dashboard(), settlement()].map(({ registry }) => registry);
  const metrics = await Promise.all(registries.flatMap((each) => each.getMetricsAsArray()).map(describe));
  return new Map(metrics);
}

function gateway(): Metrics {
  const metrics = withReadiness();
  new RpcMetrics(metrics);
  new ReserveMetrics(metrics);
  new DecisionMetrics(metrics);
  new LedgerGauges(metrics, UNREAD);
  new PolicyGauges(metrics, UNREAD);
  new RateGauges(metrics, UNREAD);
  new ChainGauges(metrics, UNREAD, UNREAD);
  new TokenGauges(metrics, UNREAD);
  new SignerMetrics(metrics, { set: { observe: () => undefined } } as unknown as OpenedSigners);
  return metrics;
}

function dashboard(): Metrics {
  const metrics = withReadiness();
  const server = { addHook: () => undefined };
  measureRequests({ getHttpAdapter: () => ({ getInstance: () => server }) } as never, metrics);
  new DashboardGauges(metrics, UNREAD, UNREAD, UNREAD);
  new DeliveryMetrics(metrics);
  new BacklogGauges(metrics, UNREAD);
  new StreamGauges(metrics, UNREAD, UNREAD);
  return metrics;
}

function settlement(): Metrics {
  const metrics = withReadiness();
  new LedgerMetrics(metrics);
  new SettlementGauges(metrics, UNREAD, [], UNREAD);
  new WalletGauges(metrics, UNREAD, []);
  new ExposureGauges(metrics, UNREAD, []);
  return metrics;
}

function withReadiness(): Metrics {
  const metrics = new Metrics();
  new ReadyGauge(metrics, new HealthService([]));
  return metrics;
}

async function describe(metric: object): Promise<[string, RegisteredMetric]> {
  const { name, type, labelNames = [] } = metric as { name: string; type?: string; labelNames?: string[] };
  return [name, { type: type ?? 'gauge', labels: labelNames }];
}
