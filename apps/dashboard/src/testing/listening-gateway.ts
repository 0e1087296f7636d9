import type { PolicySnapshot } from '@paymaster/domain';
import {
  apiKeyIndex,
  createNatsClient,
  MessageAuthenticator,
  PolicyClient,
  type PolicyChangedEvent,
} from '@paymaster/messaging';
import { CHAIN_ID, INDEX_KEY } from './dashboard-under-test';
import { until } from './until';

/** A gateway as the dashboard knows it: its own client on NATS, and what that hears. */
export class ListeningGateway {
  private readonly events: PolicyChangedEvent[] = [];
  private readonly client: PolicyClient;

  private constructor(natsUrl: string) {
    this.client = new PolicyClient(createNatsClient({ natsUrl }, 'gateway'), new MessageAuthenticator(INDEX_KEY));
    this.client.start({ policyChanged: (event) => this.events.push(event), reconnected: () => undefined });
  }

  /** Resolves when it is connected. */
  static async connect(natsUrl: string): Promise<ListeningGateway> {
    const gateway = new ListeningGateway(natsUrl);
    await until(() => gateway.client.connected);
    return gateway;
  }

  resolve(apiKey: string, chainId = CHAIN_ID): Promise<PolicySnapshot | undefined> {
    return this.client.resolve({ chainId, apiKeyIndex: apiKeyIndex(apiKey, INDEX_KEY) }, 'test');
  }

  /** Versions of a paymaster that were broadcast, in their order. */
  versionsHeardOf(paymasterId: string): number[] {
    return this.events.filter((event) => event.paymasterId === paymasterId).map(({ version }) => version);
  }

  async close(): Promise<void> {
    await this.client.close();
  }
}
