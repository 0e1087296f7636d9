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
  type PolicyNews,
  type PolicyNewsQuestion,
  type PolicyNewsReply,
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

/** What the dashboard says of an API key. */
export interface ResolvedPolicy<Policy = PolicySnapshot> {
  readonly policy: Policy;
  /** The key ends only by a change of its paymaster. */
  readonly lasting: boolean;
}

/** A question to the dashboard on its way. */
interface Question {
  readonly subject: string;
  readonly id: string;
  readonly data: object;
  /** @returns the body of an authentic reply */
  readonly open: (response: unknown) => string | undefined;
  /** Whether it is asked again where no answer comes; news are asked for again anyway. */
  readonly isRepeated?: boolean;
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
  async resolve(request: ResolvePolicyRequest, origin: QuestionOrigin): Promise<ResolvedPolicy | undefined>;
  async resolve(
    request: ResolvePolicyRequest,
    origin: QuestionOrigin,
    known: KnownPolicy | undefined,
  ): Promise<ResolvedPolicy<PolicySnapshot | 'unchanged'> | undefined>;
  async resolve(
    request: ResolvePolicyRequest,
    origin: QuestionOrigin,
    known?: KnownPolicy,
  ): Promise<ResolvedPolicy<PolicySnapshot | 'unchanged'> | undefined> {
    const { chainId, apiKeyIndex, otherIndexes = [] } = request;
    try {
      const question: ResolvePolicyQuestion = {
        ...{ chainId, apiKeyIndex, namedKeys: true, suspensions: true, nonce: newNonce() },
        ...(otherIndexes.length > 0 && { otherIndexes }),
        ...(known && { known: { paymasterId: known.paymasterId, version: known.version } }),
      };
      const body = await this.ask(
        {
          ...{ subject: SUBJECTS.policyResolve, id: question.nonce, data: question },
          open: (response) => this.authenticator.openReply(question, response),
        },
        origin,
      );
      const reply = JSON.parse(body) as ResolvePolicyReply;
      if ('failed' in reply) throw new Error(reply.failed);
      if (!reply.found) return undefined;
      const policy = 'unchanged' in reply ? unchanged(reply.unchanged, known) : fromMessage(reply.snapshot, chainId);
      return { policy, lasting: reply.lasting === true };
    } catch (cause) {
      throw unavailable(cause);
    }
  }

  /**
   * Asks which policies changed.
   *
   * @param since the number in the answer before; undefined to ask only for the number
   * @throws {DependencyUnavailableError} as {@link resolve} does
   */
  async news(since: number | undefined): Promise<PolicyNews> {
    const question: PolicyNewsQuestion = { nonce: newNonce(), since };
    const signed = this.authenticator.signQuestion(SUBJECTS.policyNews, JSON.stringify(question));
    try {
      const body = await this.ask({
        ...{ subject: SUBJECTS.policyNews, id: question.nonce, data: signed },
        open: (response) => this.authenticator.openAnswer(signed, response),
        isRepeated: false,
      });
      const reply = JSON.parse(body) as PolicyNewsReply;
      if ('failed' in reply) throw new Error(reply.failed);
      return reply;
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
  private ask({ subject, id, data, open, isRepeated = true }: Question, origin?: QuestionOrigin): Promise<string> {
    if (!this.linked) throw new Error('not connected to NATS');
    const connection = this.client.unwrap<NatsConnection>();
    const inbox = createInbox();
    const headers = natsHeaders();
    if (origin) headers.set(REQUEST_ID_HEADER, origin.requestId);
    if (origin?.traceparent !== undefined) headers.set(TRACEPARENT_HEADER, origin.traceparent);
    const { retries } = this;
    const untilMs = performance.now() + this.resolveTimeoutMs;
    if (isRepeated) retries.earn();
    return new Promise((resolve, reject) => {
      let problem = 'no answer in time';
      const end = (settle: () => void): void => {
        clearTimeout(timer);
        clearInterval(again);
        subscription.unsubscribe();
        settle();
      };
      const again = setInterval(() => isRepeated && retries.take() && ask(), this.resolveTimeoutMs / ASKED_AT_MOST);
      const timer = setTimeout(() => end(() => reject(new Error(problem))), this.resolveTimeoutMs);
      const subscription = connection.subscribe(inbox, {
        callback: (error, message) => {
          if (error) return end(() => reject(error));
          if (isNoResponders(message)) return end(() => reject(new Error('no dashboard listens')));
          const body = open(envelopeIn(message)?.response);
          if (body === undefined) problem = 'no answer in time that proves to be from the dashboard';
          else end(() => resolve(body));
        },
      });
      // The envelope that Nest's responder reads.
      const envelope = JSON.stringify({ pattern: subject, id, data });
      function ask(): void {
        headers.set(TIME_LEFT_HEADER, String(Math.ceil(untilMs - performance.now())));
        try {
          connection.publish(subject, envelope, { reply: inbox, headers });
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

function newNonce(): string {
  return randomBytes(16).toString('hex');
}

function unavailable(cause: unknown): DependencyUnavailableError {
  return new DependencyUnavailableError('dashboard', 'The policy service does not answer; nothing was signed.', {
    cause,
  });
}
