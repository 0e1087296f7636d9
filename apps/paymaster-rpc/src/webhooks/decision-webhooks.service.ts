import { randomUUID } from 'node:crypto';
import { CircuitBreaker } from '@paymaster/chain';
import {
  RequestTimedOutError,
  SponsorshipRefusedError,
  timeoutWithin,
  type DecisionWebhook,
  type TraceLine,
} from '@paymaster/domain';
import { WebhookClient, WebhookError, type WebhookAnswer } from '@paymaster/webhooks';
import { LRUCache } from 'lru-cache';
import { readDecision } from './decision-answer';
import {
  isOfIllServer,
  OUTCOME_OF_FAULT,
  outcomeOfAnswer,
  type AskedOutcome,
  type DecisionObserver,
} from './decision-observer';
import { presentQuestion, type DecisionQuestion } from './decision-question';

/** How long the owner's server may take. */
export const DECISION_TIMEOUT_MS = 3_000;
/** Questions of one paymaster at once. */
export const MAX_QUESTIONS_PER_PAYMASTER = 16;
/** Of these, questions that one client network may have out: a server that is slow to one still answers the others. */
export const MAX_QUESTIONS_PER_CLIENT = 4;
/** Paymasters whose breakers are remembered. */
const MAX_PAYMASTERS = 10_000;

/** The questions of one paymaster: how many are out, and whether its servers answer at all. */
interface Asked {
  count: number;
  /** How many of them are out for which client; nobody who has none. */
  readonly ofClients: Map<string, number>;
  readonly breaker: CircuitBreaker;
}

export interface DecisionRequest {
  readonly paymasterId: string;
  /** Who asks for the operation, of `clientSite`; undefined where one client may have all turns. */
  readonly client: string | undefined;
  /** All of them have to agree. */
  readonly webhooks: readonly DecisionWebhook[];
  readonly question: DecisionQuestion;
  /** The W3C header, where the request is traced. */
  readonly traceparent?: string | undefined;
  /** When who asks is answered, whatever is known by then; milliseconds of the monotonic clock. */
  readonly deadlineMs: number;
}

/** One question to one server. */
interface Asking extends Omit<DecisionRequest, 'paymasterId' | 'webhooks' | 'deadlineMs'> {
  readonly webhook: DecisionWebhook;
  readonly asked: Asked;
  /** How long it may take: the server's time, or what is left of the request. */
  readonly withinMs: number;
}

/**
 * Asks the owners' servers whether an operation is sponsored. Fails closed, and one paymaster's slow server costs
 * no other paymaster anything: each has its own bulkhead and breaker.
 */
export class DecisionWebhooks {
  private readonly asked = new LRUCache<string, Asked>({ max: MAX_PAYMASTERS });

  /**
   * @param timeoutMs how long a server may take
   * @param observer hears of every question
   */
  constructor(
    private readonly client: Pick<WebhookClient, 'send'>,
    private readonly timeoutMs = DECISION_TIMEOUT_MS,
    private readonly observer?: DecisionObserver,
  ) {}

  /**
   * @returns one trace line for each webhook
   * @throws {SponsorshipRefusedError} WEBHOOK_REFUSED when one said no, WEBHOOK_FAILED when one gave no answer
   * @throws {RequestTimedOutError} when the deadline is over before they are asked, or before they have had their time
   */
  async assertVerified(request: DecisionRequest): Promise<readonly TraceLine[]> {
    const { paymasterId, client, webhooks, question, traceparent, deadlineMs } = request;
    const withinMs = timeoutWithin(deadlineMs, { boundMs: this.timeoutMs, nowMs: performance.now() });
    const asked = this.askedBy(paymasterId);
    this.assertClientHasRoom(asked, { client, webhooks });
    return Promise.all(
      webhooks.map((webhook) => this.ask({ webhook, client, question, asked, traceparent, withinMs })),
    );
  }

  private async ask(request: Asking): Promise<TraceLine> {
    const { webhook, client, asked } = request;
    this.assertMayBeAsked(asked, webhook);
    countQuestion(asked, { client, by: 1 });
    const startedMs = performance.now();
    let outcome: AskedOutcome = 'failed';
    try {
      const answer = await this.sendCounting(request);
      const decision = readDecision(answer);
      outcome = outcomeOfAnswer(answer, decision);
      if (decision === 'notUnderstood') throw failed(webhook, 'its answer is not understood');
      if (decision === 'refused') throw refused(webhook);
      return { rule: 'webhook', input: webhook.webhookId, outcome: 'pass' };
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error;
      outcome = OUTCOME_OF_FAULT[error.fault];
      if (this.isCutShort(error, request)) throw new RequestTimedOutError();
      throw failed(webhook, WHY[error.fault]);
    } finally {
      this.observer?.asked(outcome, (performance.now() - startedMs) / 1_000);
      countQuestion(asked, { client, by: -1 });
    }
  }

  private assertMayBeAsked(asked: Asked, webhook: DecisionWebhook): void {
    if (asked.count >= MAX_QUESTIONS_PER_PAYMASTER) {
      this.observer?.notAsked('tooMany');
      throw failed(webhook, 'too many questions at once');
    }
    if (!asked.breaker.tryAcquire()) {
      this.observer?.notAsked('resting');
      throw failed(webhook, 'it failed several times in a row and is given a rest');
    }
  }

  /** A client that has nothing out may ask for one operation, however many servers are asked. */
  private assertClientHasRoom(
    { ofClients }: Asked,
    { client, webhooks }: { client: string | undefined; webhooks: readonly DecisionWebhook[] },
  ): void {
    const out = client === undefined ? 0 : (ofClients.get(client) ?? 0);
    const [first] = webhooks;
    if (!first || out === 0 || out + webhooks.length <= MAX_QUESTIONS_PER_CLIENT) return;
    this.observer?.notAsked('tooMany');
    throw failed(first, 'too many questions of this client at once');
  }

  /**
   * Tells the breaker whether the server is well. One that answers 4xx is: it does not like this question, and whoever
   * asks with a public key could otherwise close the paymaster to everybody with five bad ones.
   */
  private async sendCounting(request: Asking): Promise<WebhookAnswer> {
    const { breaker } = request.asked;
    try {
      const answer = await this.send(request);
      if (isOfIllServer(answer)) breaker.failed();
      else breaker.succeeded();
      return answer;
    } catch (error) {
      if (!this.isCutShort(error, request)) breaker.failed();
      throw error;
    }
  }

  /** A server that was given little time has not failed. */
  private isCutShort(error: unknown, { withinMs }: Asking): boolean {
    return error instanceof WebhookError && error.fault === 'TIMEOUT' && withinMs < this.timeoutMs;
  }

  private send({ webhook, question, traceparent, withinMs }: Asking) {
    const { webhookId, secretVersions, url, method } = webhook;
    const isGet = method === 'GET';
    return this.client.send({
      webhookId,
      secretVersions,
      url: isGet ? withData(url, question.webhookData) : url,
      method,
      messageId: `decision_${randomUUID()}`,
      body: isGet ? '' : JSON.stringify(presentQuestion(question)),
      timeoutMs: withinMs,
      traceparent,
    });
  }

  private askedBy(paymasterId: string): Asked {
    const known = this.asked.get(paymasterId);
    if (known) return known;
    const fresh: Asked = { count: 0, ofClients: new Map(), breaker: new CircuitBreaker() };
    this.asked.set(paymasterId, fresh);
    return fresh;
  }
}

function countQuestion(asked: Asked, { client, by }: { client: string | undefined; by: 1 | -1 }): void {
  asked.count += by;
  if (client === undefined) return;
  const ofClient = (asked.ofClients.get(client) ?? 0) + by;
  if (ofClient === 0) asked.ofClients.delete(client);
  else asked.ofClients.set(client, ofClient);
}

/** Half a sentence for the client; URLs and addresses stay out of it. */
const WHY = {
  FORBIDDEN_TARGET: 'its address is not allowed',
  UNREACHABLE: 'it cannot be reached',
  TIMEOUT: `it did not answer within ${DECISION_TIMEOUT_MS / 1_000} s`,
  BAD_ANSWER: 'its answer is not understood',
} as const;

function withData(url: string, webhookData: unknown): string {
  const target = new URL(url);
  target.searchParams.set('data', JSON.stringify(webhookData ?? {}));
  return target.href;
}

function refused(webhook: DecisionWebhook): SponsorshipRefusedError {
  return new SponsorshipRefusedError('WEBHOOK_REFUSED', "the owner's webhook did not verify the operation", [
    { rule: 'webhook', input: webhook.webhookId, outcome: 'refuse' },
  ]);
}

function failed(webhook: DecisionWebhook, why: string): SponsorshipRefusedError {
  return new SponsorshipRefusedError('WEBHOOK_FAILED', `the owner's webhook gave no decision: ${why}`, [
    { rule: 'webhook', input: `${webhook.webhookId}: ${why}`, outcome: 'refuse' },
  ]);
}
