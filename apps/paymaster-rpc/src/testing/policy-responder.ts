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
  type PolicyChangedEvent,
  type PolicyNews,
  type PolicyNewsQuestion,
  type SignedText,
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
  /** Questions for news. */
  newsAsked = 0;
  /** While set, questions are taken and never answered. */
  silent = false;
  private readonly authenticator: MessageAuthenticator;
  private readonly snapshots = new Map<string, PolicySnapshot>();
  /** In their order; the first has the number 1. */
  private readonly changes: PolicyChangedEvent[] = [];

  private constructor(
    private readonly connection: NatsConnection,
    private readonly options: { readonly indexKey: string; readonly knowsNews?: boolean },
  ) {
    this.authenticator = new MessageAuthenticator(options.indexKey);
    const serve = (subject: string, answer: (message: Msg) => void) =>
      connection.subscribe(subject, { queue: DASHBOARD_QUEUE, callback: (_error, message) => answer(message) });
    serve(SUBJECTS.policyResolve, (message) => this.answer(message));
    if (options.knowsNews !== false) serve(SUBJECTS.policyNews, (message) => this.answerNews(message));
  }

  /** @param knowsNews false: like a dashboard of the version that knew no news */
  static async start({
    natsUrl,
    ...options
  }: {
    natsUrl: string;
    indexKey: string;
    knowsNews?: boolean;
  }): Promise<PolicyResponder> {
    const connection = await connect({ servers: natsUrl, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
    const responder = new PolicyResponder(connection, options);
    // NATS knows the subscriptions now: a question that came before would find nobody.
    await connection.flush();
    return responder;
  }

  /** Sets a policy as if the dashboard had committed it, without a broadcast. */
  set(apiKey: string, snapshot: PolicySnapshot): void {
    this.changes.push({ paymasterId: snapshot.paymasterId, version: snapshot.version });
    this.snapshots.set(apiKeyIndex(apiKey, this.options.indexKey), snapshot);
  }

  remove(apiKey: string): void {
    this.snapshots.delete(apiKeyIndex(apiKey, this.options.indexKey));
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
      snapshot && found
        ? { found: true, snapshot: toMessage(snapshot), ...(this.options.knowsNews !== false && { lasting: true }) }
        : { found: false };
    const response = this.authenticator.signReply(data, JSON.stringify(reply));
    message.respond(JSON.stringify({ response, isDisposed: true, id }));
  }
  private answerNews(message: Msg): void {
    this.newsAsked += 1;
    if (this.silent) return;
    const { data, id } = message.json<{ data: SignedText; id: string }>();
    const { since } = JSON.parse(data.body) as PolicyNewsQuestion;
    const { length } = this.changes;
    const isKnown = since !== undefined && since <= length;
    const news: PolicyNews = { number: length, ...(isKnown && { changed: this.changes.slice(since) }) };
    message.respond(
      JSON.stringify({ response: this.authenticator.signAnswer(data, JSON.stringify(news)), isDisposed: true, id }),
    );
  }
}
