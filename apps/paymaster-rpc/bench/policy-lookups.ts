import { apiKeyIndex, createNatsClient, MessageAuthenticator, PolicyClient } from '@paymaster/messaging';
import { apiKeyOfTenant } from './tenants';
import type { TenantWorld } from './tenant-world';

const IN_FLIGHT = 16;

export interface Lookups {
  readonly perSecond: number;
  /** CPU of the dashboard for each; microseconds. */
  readonly dashboardMicros: number;
  /** CPU of Postgres for each; microseconds. */
  readonly databaseMicros: number;
}

/**
 * Asks a dashboard for policies as gateways do, over NATS by the blind index of keys, each time of another tenant.
 *
 * @throws when a policy is not that of the tenant who was asked about
 */
export async function measureLookups(
  world: TenantWorld,
  { chainId, seconds }: { chainId: number; seconds: number },
): Promise<Lookups> {
  const { natsUrl, indexKey, dashboard, count } = world;
  const client = new PolicyClient(createNatsClient({ natsUrl }, 'bench'), new MessageAuthenticator(indexKey), 1_000);
  client.start({ policyChanged: () => undefined, reconnected: () => undefined });
  try {
    while (!client.connected) await new Promise((resolve) => setTimeout(resolve, 20));
    const [cpuBefore, databaseBefore] = [dashboard.cpuSeconds(), await world.databaseCpuSeconds()];
    const startedAtMs = performance.now();
    const endsAtMs = startedAtMs + seconds * 1_000;
    let answered = 0;
    const askOn = async (): Promise<void> => {
      while (performance.now() < endsAtMs) {
        const index = Math.floor(Math.random() * count);
        const question = { chainId, apiKeyIndex: apiKeyIndex(apiKeyOfTenant(index), indexKey) };
        const snapshot = (await client.resolve(question, { requestId: 'bench' }))?.policy;
        const right = snapshot?.paymasterId === world.tenant(index).paymasterId && snapshot.policies.length === 1;
        if (!right) throw new Error(`not the policy of tenant ${index}: ${JSON.stringify(snapshot)}`);
        answered++;
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, askOn));
    const micros = (used: number): number => (used * 1e6) / answered;
    return {
      perSecond: (answered * 1_000) / (performance.now() - startedAtMs),
      dashboardMicros: micros(dashboard.cpuSeconds() - cpuBefore),
      databaseMicros: micros((await world.databaseCpuSeconds()) - databaseBefore),
    };
  } finally {
    await client.close();
  }
}
