import type { ClientNats } from '@nestjs/microservices';
import type { PolicySnapshot } from '@paymaster/domain';
import { until } from '@paymaster/domain/testing';
import {
  apiKeyIndex,
  createNatsClient,
  MessageAuthenticator,
  PolicyClient,
  type KnownPolicy,
  type NatsSettings,
  type PolicyChangedEvent,
  type PolicyNews,
  type ResolvedPolicy,
} from '@paymaster/messaging';
import type { NatsConnection } from 'nats';
import { CHAIN_ID, INDEX_KEY } from './dashboard-under-test';

/** A real gateway waits a second; here a machine that stands still for longer is no outage. */
const PATIENCE_MS = 30_000;

/** A gateway as the dashboard knows it: its own client on NATS, and what that hears. */
export class ListeningGateway {
  /** What was broadcast, in its order. */
  readonly heard: PolicyChangedEvent[] = [];
  private readonly nats: ClientNats;
  private readonly client: PolicyClient;

  private constructor(settings: NatsSettings, patienceMs: number) {
    this.nats = createNatsClient(settings, 'gateway');
    this.client = new PolicyClient(this.nats, new MessageAuthenticator(INDEX_KEY), patienceMs);
    this.client.start({ policyChanged: (event) => this.heard.push(event), reconnected: () => undefined });
  }

  /** Resolves when it hears broadcasts, and the dashboard answers it. */
  static async connect(settings: NatsSettings): Promise<ListeningGateway> {
    const gateway = await ListeningGateway.listen(settings);
    try {
      await until(() => gateway.resolve('unknown').then(() => true, () => false)); // prettier-ignore
      return gateway;
    } catch (error) {
      await gateway.close();
      throw error;
    }
  }

  /**
   * Resolves when it hears broadcasts, whether or not there is a dashboard.
   *
   * @param patienceMs how long it waits for an answer
   */
  static async listen(settings: NatsSettings, patienceMs = PATIENCE_MS): Promise<ListeningGateway> {
    const gateway = new ListeningGateway(settings, patienceMs);
    try {
      await until(() => gateway.client.connected);
      // The server has its subscription before it sees anything that is published from here on.
      await gateway.nats.unwrap<NatsConnection>().flush();
      return gateway;
    } catch (error) {
      await gateway.close();
      throw error;
    }
  }

  /** @throws {DependencyUnavailableError} */
  async resolve(apiKey: string, chainId = CHAIN_ID, traceparent?: string): Promise<PolicySnapshot | undefined> {
    const question = { chainId, apiKeyIndex: apiKeyIndex(apiKey, INDEX_KEY) };
    return (await this.client.resolve(question, { requestId: 'test', traceparent }))?.policy;
  }

  /** Asks whether a policy still is the one that is known. */
  async confirm(apiKey: string, known: KnownPolicy): Promise<PolicySnapshot | 'unchanged' | undefined> {
    return (await this.ask(apiKey, known))?.policy;
  }

  /** Whether the dashboard says that a key ends only by a change of its paymaster, with a policy and with "unchanged". */
  async isLasting(apiKey: string): Promise<boolean> {
    const resolved = await this.ask(apiKey);
    if (resolved?.policy === undefined || resolved.policy === 'unchanged') throw new Error('the key is unknown');
    const confirmed = await this.ask(apiKey, resolved.policy);
    if (confirmed?.policy !== 'unchanged' || confirmed.lasting !== resolved.lasting)
      throw new Error('two answers differ');
    return resolved.lasting;
  }

  /** @throws {DependencyUnavailableError} */
  news(since?: number): Promise<PolicyNews> {
    return this.client.news(since);
  }

  /** Versions of a paymaster that were broadcast, in their order. */
  versionsHeardOf(paymasterId: string): number[] {
    return this.heard.filter((event) => event.paymasterId === paymasterId).map(({ version }) => version);
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  private ask(apiKey: string, known?: KnownPolicy): Promise<ResolvedPolicy<PolicySnapshot | 'unchanged'> | undefined> {
    const question = { chainId: CHAIN_ID, apiKeyIndex: apiKeyIndex(apiKey, INDEX_KEY) };
    return this.client.resolve(question, { requestId: 'test' }, known);
  }
}
