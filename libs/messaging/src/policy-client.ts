import { randomBytes } from 'node:crypto';
import type { ClientNats } from '@nestjs/microservices';
import { DependencyUnavailableError, type PolicySnapshot } from '@paymaster/domain';
import { RetryBudget } from '@paymaster/turns';
import { createInbox, headers as natsHeaders, type Msg, type NatsConnection } from 'nats';
import type { MessageAuthenticator } from './message-authenticator';
import {
  fromMessage,
  REQUEST_ID_HEADER,
  SUBJECTS,
  TIME_LEFT_HEADER,
  TRACEPARENT_HEADER,
  type KnownPolicy,
  type PolicyChangedEvent,
  type QuestionOrigin,
  type ResolvePolicyQuestion,
  type ResolvePolicyReply,
  type ResolvePolicyRequest,
} from './policy-messages';

/**
 * How often a question without an answer is sent again, because the dashboard process that took it may have died. At
 * most a tenth of all questions are sent again, so that a slow network or dashboard gets hardly more questions.
 */
const ASKED_AT_MOST = 4;

/** Called for messages of the dashboard and for the state of the connection. */
export interface PolicyListener {
  /** A paymaster has changed: copies below `version` are out of date. */
  policyChanged(event: PolicyChangedEvent): void;
  /** The connection is back: broadcasts may have been missed. */
  reconnected(): void;
}

/**
 * The gateway's side of the policy subjects: asks the dashboard for a snapshot, and listens to its broadcasts. Connects
 * in the background and never gives up, so that a boot does not wait for a broker that is down.
 */
export class PolicyClient {
  private linked = false;
  private timesBack = 0;
  private readonly retries = new RetryBudget();

  /** @param resolveTimeoutMs a question without an answer within this time counts as "the dashboard is down" */
  constructor(
    private readonly client: ClientNats,
    private readonly authenticator: MessageAuthenticator,
    private readonly resolveTimeoutMs: number,
  ) {}

  /** Whether the connection to NATS is up now. */
  get connected(): boolean {
    return this.linked;
  }

  /** How often the client reconnected since the start. */
  get reconnects(): number {
    return this.timesBack;
  }

  /** Starts to connect and, once connected, to listen. Returns at once. */
  start(listener: PolicyListener): void {
    let wasConnected = false;
    this.client.status.subscribe((status) => {
      this.linked = status === 'connected';
      if (!this.linked) return;
      if (wasConnected) {
        this.timesBack++;
        listener.reconnected();
      }
      wasConnected = true;
    });
    this.client.connect().then(
      () => this.listen(listener),
      () => undefined, // Only a closed client gives up connecting.
    );
  }

  /**
   * Asks for the policy snapshot of an API key, several times while there is no answer. Replies without the dashboard's
   * HMAC are dropped: a forger can be first, but can't keep the dashboard's own reply from being heard.
   *
   * @param origin travels in the headers of the message
   * @param known the caller's copy; the answer `'unchanged'` says that it is still the policy
   * @returns the snapshot, or undefined when the key is unknown, revoked or of another chain
   * @throws {DependencyUnavailableError} when the dashboard does not answer in time, or answers with an error; at once
   *   when NATS is not connected or no dashboard listens
   */
  async resolve(request: ResolvePolicyRequest, origin: QuestionOrigin): Promise<PolicySnapshot | undefined>;
  async resolve(
    request: ResolvePolicyRequest,
    origin: QuestionOrigin,
    known: KnownPolicy | undefined,
  ): Promise<PolicySnapshot | 'unchanged' | undefined>;
  async resolve(
    request: ResolvePolicyRequest,
    origin: QuestionOrigin,
    known?: KnownPolicy,
  ): Promise<PolicySnapshot | 'unchanged' | undefined> {
    if (!this.linked) throw unavailable(new Error('not connected to NATS'));
    const { chainId, apiKeyIndex, otherIndexes = [] } = request;
    try {
      const question: ResolvePolicyQuestion = {
        ...{ chainId, apiKeyIndex, namedKeys: true, suspensions: true, nonce: randomBytes(16).toString('hex') },
        ...(otherIndexes.length > 0 && { otherIndexes }),
        ...(known && { known: { paymasterId: known.paymasterId, version: known.version } }),
      };
      const reply = JSON.parse(await this.ask(question, origin)) as ResolvePolicyReply;
      if ('failed' in reply) throw new Error(reply.failed);
      if ('unchanged' in reply) return unchanged(reply.unchanged, known);
      return reply.found ? fromMessage(reply.snapshot, chainId) : undefined;
    } catch (cause) {
      throw unavailable(cause);
    }
  }

  /** Closes the connection. */
  async close(): Promise<void> {
    this.linked = false;
    await this.client.close();
  }

  /** @returns the body of the first authentic reply */
  private ask(question: ResolvePolicyQuestion, { requestId, traceparent }: QuestionOrigin): Promise<string> {
    const connection = this.client.unwrap<NatsConnection>();
    const inbox = createInbox();
    const headers = natsHeaders();
    headers.set(REQUEST_ID_HEADER, requestId);
    if (traceparent !== undefined) headers.set(TRACEPARENT_HEADER, traceparent);
    const { retries } = this;
    const untilMs = performance.now() + this.resolveTimeoutMs;
    retries.earn();
    return new Promise((resolve, reject) => {
      let problem = 'no answer in time';
      const end = (settle: () => void): void => {
        clearTimeout(timer);
        clearInterval(again);
        subscription.unsubscribe();
        settle();
      };
      const again = setInterval(() => retries.take() && ask(), this.resolveTimeoutMs / ASKED_AT_MOST);
      const timer = setTimeout(() => end(() => reject(new Error(problem))), this.resolveTimeoutMs);
      const subscription = connection.subscribe(inbox, {
        callback: (error, message) => {
          if (error) return end(() => reject(error));
          if (isNoResponders(message)) return end(() => reject(new Error('no dashboard listens')));
          const body = this.authenticator.openReply(question, envelopeIn(message)?.response);
          if (body === undefined) problem = 'no answer in time that proves to be from the dashboard';
          else end(() => resolve(body));
        },
      });
      // The envelope that Nest's responder reads.
      const envelope = JSON.stringify({ pattern: SUBJECTS.policyResolve, id: question.nonce, data: question });
      function ask(): void {
        headers.set(TIME_LEFT_HEADER, String(Math.ceil(untilMs - performance.now())));
        try {
          connection.publish(SUBJECTS.policyResolve, envelope, { reply: inbox, headers });
        } catch (error) {
          end(() => reject(error as Error));
        }
      }
      ask();
    });
  }

  /** Every process receives every broadcast, so the subscription has no queue group. */
  private listen(listener: PolicyListener): void {
    this.client.unwrap<NatsConnection>().subscribe(SUBJECTS.policyChanged, {
      callback: (error: Error | null, message: Msg) => {
        const event = error ? undefined : this.authenticator.openChange(envelopeIn(message)?.data);
        if (event) listener.policyChanged(event);
      },
    });
  }
}

/**
 * An attacker who sees a question can ask it again with another version. So the "unchanged" answer must name the
 * version that this caller has.
 */
function unchanged(said: KnownPolicy, known: KnownPolicy | undefined): 'unchanged' {
  if (said.paymasterId === known?.paymasterId && said.version === known.version) return 'unchanged';
  throw new Error('the dashboard says that another policy than the known one is unchanged');
}

/**
 * The envelope that Nest puts around a reply (`response`) and a broadcast (`data`); undefined for a value that is no
 * object.
 */
function envelopeIn(message: Msg): { response?: unknown; data?: unknown } | undefined {
  try {
    return message.json<{ response?: unknown; data?: unknown } | null>() ?? undefined;
  } catch {
    return undefined;
  }
}

/** The NATS server's answer when there is no subscriber: no bytes, status 503. */
function isNoResponders({ data, headers }: Msg): boolean {
  return data.length === 0 && headers?.code === 503;
}

function unavailable(cause: unknown): DependencyUnavailableError {
  return new DependencyUnavailableError('dashboard', 'The policy service does not answer; nothing was signed.', {
    cause,
  });
}
