import {
  apiKeyIndex,
  DASHBOARD_QUEUE,
  MessageAuthenticator,
  REQUEST_ID_HEADER,
  SUBJECTS,
  toMessage,
  TRACEPARENT_HEADER,
  type ResolvePolicyQuestion,
  type ResolvePolicyReply,
  type ResolvePolicyRequest,
} from '@paymaster/messaging';
import type { PolicySnapshot } from '@paymaster/domain';
import { connect, type Msg, type NatsConnection } from 'nats';

/** A question as it came over NATS. */
export interface ReceivedRequest extends ResolvePolicyRequest {
  readonly requestId: string | undefined;
  readonly traceparent: string | undefined;
}

/** The dashboard's side of the policy subjects over a real NATS connection, with snapshots from memory. */
export class PolicyResponder {
  readonly received: ReceivedRequest[] = [];
  /** While set, questions are taken and never answered. */
  silent = false;
  private readonly authenticator: MessageAuthenticator;
  private readonly snapshots = new Map<string, PolicySnapshot>();

  private constructor(
    private readonly connection: NatsConnection,
    private readonly indexKey: string,
  ) {
    this.authenticator = new MessageAuthenticator(indexKey);
    connection.subscribe(SUBJECTS.policyResolve, {
      queue: DASHBOARD_QUEUE,
      callback: (_error: unknown, message: Msg) => this.answer(message),
    });
  }

  static async start({ natsUrl, indexKey }: { natsUrl: string; indexKey: string }): Promise<PolicyResponder> {
    const connection = await connect({ servers: natsUrl, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
    return new PolicyResponder(connection, indexKey);
  }

  /** Sets a policy as if the dashboard had committed it, without a broadcast. */
  set(apiKey: string, snapshot: PolicySnapshot): void {
    this.snapshots.set(apiKeyIndex(apiKey, this.indexKey), snapshot);
  }

  remove(apiKey: string): void {
    this.snapshots.delete(apiKeyIndex(apiKey, this.indexKey));
  }

  /** The broadcast after a commit, in the envelope of Nest's `emit`. */
  async broadcast(event: { paymasterId: string; version: number }): Promise<void> {
    const envelope = { pattern: SUBJECTS.policyChanged, data: this.authenticator.signChange(event) };
    this.connection.publish(SUBJECTS.policyChanged, JSON.stringify(envelope));
    await this.connection.flush();
  }

  async stop(): Promise<void> {
    await this.connection.close();
  }

  private answer(message: Msg): void {
    const { data, id } = message.json<{ data: ResolvePolicyQuestion; id: string }>();
    const { chainId, apiKeyIndex } = data;
    this.received.push({
      ...{ chainId, apiKeyIndex },
      requestId: message.headers?.get(REQUEST_ID_HEADER),
      // A missing header is read as an empty text.
      traceparent: message.headers?.get(TRACEPARENT_HEADER) || undefined,
    });
    if (this.silent) return;
    const snapshot = this.snapshots.get(data.apiKeyIndex);
    const found = snapshot?.chainId === data.chainId;
    const reply: ResolvePolicyReply =
      snapshot && found ? { found: true, snapshot: toMessage(snapshot) } : { found: false };
    const response = this.authenticator.signReply(data, JSON.stringify(reply));
    message.respond(JSON.stringify({ response, isDisposed: true, id }));
  }
}
