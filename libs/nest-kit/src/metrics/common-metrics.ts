/** Metrics that several apps have, each named and described once. */
import type { Metrics } from './metrics';

/** The state of a process's connection to NATS. */
export interface NatsLink {
  readonly connected: boolean;
  /** How often it reconnected since the start. */
  readonly reconnects: number;
}

/** Connections of a Postgres pool. */
export interface PoolUse {
  readonly total: number;
  readonly idle: number;
  /** Calls that wait for a connection. */
  readonly waiting: number;
}

/** The state of a process's shared rate limits (docs/adr/0013). */
export interface RateSharing {
  /** Whether this process can reach the others now; otherwise it counts the limits without them. */
  readonly connected: boolean;
  /** Messages since the start: sent, accepted from others, and ignored because they are not authentic or too old. */
  readonly counts: { readonly told: number; readonly heard: number; readonly ignored: number };
}

/**
 * The use of a provider. Each use has its own breakers: strangers' code in `validations`, `simulations` and `feeds`
 * must not stop the reads of the `chain`.
 */
export type ProviderUse = 'chain' | 'validations' | 'simulations' | 'feeds' | 'payments' | 'books';

/** One RPC provider of one chain, for one use. */
export interface ProviderView {
  readonly chainId: number;
  readonly use: ProviderUse;
  /** Its host, or the operator's name for it; never the URL, which may hold a key. */
  readonly host: string;
  readonly isUp: boolean;
  /** Blocks behind the newest block that any provider of the chain named; undefined before the first answer. */
  readonly lagBlocks?: number | undefined;
  /** Calls since the start. */
  readonly calls: { readonly answered: number; readonly failed: number };
}

export function watchNats(metrics: Metrics, read: () => NatsLink): void {
  const help = '1 while this process is connected to NATS';
  metrics.gauge({ name: 'paymaster_nats_connected', help }, () => (read().connected ? 1 : 0));
  const reconnects = { name: 'paymaster_nats_reconnects_total', help: 'Times that the connection to NATS came back' };
  metrics.total(reconnects, () => read().reconnects);
}

/** @param read undefined where there are no rate limits */
export function watchRateSharing(metrics: Metrics, read: () => RateSharing | undefined): void {
  const help = '1 while this process can tell the others of its app what its rate limits let through';
  const asNumber = (sharing: RateSharing | undefined) => sharing && (sharing.connected ? 1 : 0);
  metrics.gauge({ name: 'paymaster_rate_sharing', help }, () => asNumber(read()));
  const messages = { name: 'paymaster_rate_messages_total', help: 'Messages among processes that share rate limits' };
  metrics.total({ ...messages, labelNames: ['what'] }, () =>
    Object.entries(read()?.counts ?? {}).map(([what, value]) => ({ labels: { what }, value })),
  );
}

/** @param read undefined where the process has no pool at the moment */
export function watchPool(metrics: Metrics, read: () => PoolUse | undefined): void {
  const pool = 'paymaster_postgres_pool';
  metrics.gauge({ name: `${pool}_total`, help: 'Connections to Postgres that are open' }, () => read()?.total);
  metrics.gauge({ name: `${pool}_idle`, help: 'Connections to Postgres without work' }, () => read()?.idle);
  metrics.gauge(
    { name: `${pool}_waiting`, help: 'Calls that wait for a connection to Postgres' },
    () => read()?.waiting,
  );
}

export function watchProviders(metrics: Metrics, read: () => readonly ProviderView[]): void {
  const labelNames = ['chain', 'provider', 'use'];
  const labelsOf = ({ chainId, host, use }: ProviderView) => ({ chain: String(chainId), provider: host, use });
  metrics.gauge({ name: 'paymaster_provider_up', help: '1 while an RPC provider is asked', labelNames }, () =>
    read().map((view) => ({ labels: labelsOf(view), value: view.isUp ? 1 : 0 })),
  );
  const lag = {
    name: 'paymaster_provider_lag_blocks',
    help: 'Blocks that a provider is behind the others',
    labelNames,
  };
  metrics.gauge(lag, () =>
    read().flatMap((view) => (view.lagBlocks === undefined ? [] : [{ labels: labelsOf(view), value: view.lagBlocks }])),
  );
  const calls = { name: 'paymaster_provider_requests_total', help: 'Calls to RPC providers' };
  metrics.total({ ...calls, labelNames: [...labelNames, 'outcome'] }, () =>
    read().flatMap((view) =>
      (['answered', 'failed'] as const).map((outcome) => ({
        labels: { ...labelsOf(view), outcome },
        value: view.calls[outcome],
      })),
    ),
  );
}
