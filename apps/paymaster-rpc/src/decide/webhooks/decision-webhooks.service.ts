import { randomUUID } from 'node:crypto';
import {
  InvalidParamsError,
  RequestTimedOutError,
  SponsorshipRefusedError,
  type DecisionWebhook,
  type TraceLine,
} from '@paymaster/domain';
import { CircuitBreaker, ClientTurns, timeoutWithin, type TurnTaker } from '@paymaster/turns';
import { WebhookClient, WebhookError, type WebhookAnswer } from '@paymaster/webhooks';
import { LRUCache } from 'lru-cache';
import { DEFAULT_DEADLINES } from '../../platform/config/deadlines';
import { readDecision } from './decision-answer';
import {
  isOfIllServer,
  isOfServer,
  OUTCOME_OF_FAULT,
  outcomeOfAnswer,
  type AskedOutcome,
  type DecisionObserver,
} from './decision-observer';
import { presentQuestion, type DecisionQuestion, type WebhookData } from './decision-question';

/** Questions of one paymaster at once. */
export const MAX_QUESTIONS_PER_PAYMASTER = 16;
/**
 * How many questions one client network may have under way, so that other clients still get turns while a server is
 * slow for one client.
 */
export const MAX_QUESTIONS_PER_CLIENT = 4;
/** The most data in the URL of a GET, counted after escaping, because servers refuse long URLs; characters. */
export const MAX_QUERY_DATA_LENGTH = 2_048;
/** How many breakers are remembered; there is one per paymaster and client. */
const MAX_BREAKERS = 10_000;

export interface DecisionRequest extends TurnTaker {
  /** All of these webhooks must agree. */
  readonly webhooks: readonly DecisionWebhook[];
  readonly question: DecisionQuestion;
  /** The W3C header, where the request is traced. */
  readonly traceparent?: string | undefined;
  /** When the client is answered at the latest; milliseconds of the monotonic clock. */
  readonly deadlineMs: number;
}

/** One question to one server. */
interface Asking extends Pick<DecisionRequest, 'question' | 'traceparent'> {
  readonly webhook: DecisionWebhook;
  readonly breaker: CircuitBreaker;
  /** The client's data as text, for the URL of a GET. */
  readonly queryData: string | undefined;
  /** How long the server may take: its time-out, or what is left of the client's request if that is less. */
  readonly withinMs: number;
}

/**
 * Asks the owners' servers whether an operation is sponsored. Fails closed. Each paymaster has its own turns, so a slow
 * server of one paymaster does not delay the others. Each client has its own breaker, because anybody with a public key
 * can send data on which a server fails.
 */
export class DecisionWebhooks {
  private readonly turns = new ClientTurns({
    perPaymaster: MAX_QUESTIONS_PER_PAYMASTER,
    perClient: MAX_QUESTIONS_PER_CLIENT,
  });
  private readonly breakers = new LRUCache<string, CircuitBreaker>({ max: MAX_BREAKERS });

  /**
   * @param timeoutMs how long a server may take
   * @param observer called for every question
   */
  constructor(
    private readonly client: Pick<WebhookClient, 'send'>,
    private readonly timeoutMs = DEFAULT_DEADLINES.decisionMs,
    private readonly observer?: DecisionObserver,
  ) {}

  /**
   * @returns one trace line for each webhook
   * @throws {InvalidParamsError} naming the data, where it is too long for the address of a GET
   * @throws {SponsorshipRefusedError} WEBHOOK_REFUSED when a server said no, WEBHOOK_FAILED when a server gave no
   *   answer
   * @throws {RequestTimedOutError} when the deadline is over before the servers are asked, or before their time is over
   */
  async confirm(request: DecisionRequest): Promise<readonly TraceLine[]> {
    const { paymasterId, client, webhooks, question, traceparent, deadlineMs } = request;
    const withinMs = timeoutWithin(deadlineMs, { boundMs: this.timeoutMs, nowMs: performance.now() });
    const queryData = webhooks.some(({ method }) => method === 'GET') ? queryDataOf(question.webhookData) : undefined;
    // A client's questions to other paymasters go to other servers.
    const taker: TurnTaker = { paymasterId, client: client && `${paymasterId} ${client}` };
    const breaker = this.breakerOf(taker.client ?? paymasterId);
    this.takeTurns(taker, webhooks);
    const asked = webhooks.map((webhook) =>
      this.ask({ webhook, breaker, question, queryData, traceparent, withinMs }).finally(() => this.turns.leave(taker)),
    );
    return Promise.all(asked);
  }

  /** A client without a question under way may always send one operation, however many servers its questions go to. */
  private takeTurns(taker: TurnTaker, webhooks: readonly DecisionWebhook[]): void {
    const [first] = webhooks;
    const taken = this.turns.take(taker, webhooks.length);
    if (taken === undefined || !first) return;
    webhooks.forEach(() => this.observer?.notAsked('tooMany'));
    throw failed(first, `too many questions ${taken === 'perClient' ? 'of this client ' : ''}at once`);
  }

  private async ask(request: Asking): Promise<TraceLine> {
    const { webhook, breaker } = request;
    if (!breaker.tryAcquire()) {
      this.observer?.notAsked('resting');
      throw failed(webhook, 'it failed several times in a row and is given a rest');
    }
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
    }
  }

  /**
   * Reports to the breaker whether the server is well. A server that answers 4xx is well: it refuses only this
   * question.
   */
  private async sendCounting(request: Asking): Promise<WebhookAnswer> {
    const { breaker } = request;
    try {
      const answer = await this.send(request);
      if (isOfIllServer(answer)) breaker.failed();
      else breaker.succeeded();
      return answer;
    } catch (error) {
      if (error instanceof WebhookError && isOfServer(error) && !this.isCutShort(error, request)) breaker.failed();
      throw error;
    }
  }

  /** If a server had less than its usual time, a timeout is not a failure. */
  private isCutShort(error: unknown, { withinMs }: Asking): boolean {
    return error instanceof WebhookError && error.fault === 'TIMEOUT' && withinMs < this.timeoutMs;
  }

  private send({ webhook, question, queryData, traceparent, withinMs }: Asking) {
    const { webhookId, secretVersions, url, method } = webhook;
    const isGet = method === 'GET';
    return this.client.send({
      ...{ webhookId, secretVersions, url, method, traceparent },
      ...(isGet && { query: { data: queryData ?? '{}' } }),
      messageId: `decision_${randomUUID()}`,
      body: isGet ? '' : JSON.stringify(presentQuestion(question)),
      timeoutMs: withinMs,
    });
  }

  private breakerOf(asker: string): CircuitBreaker {
    const known = this.breakers.get(asker);
    if (known) return known;
    const fresh = new CircuitBreaker();
    this.breakers.set(asker, fresh);
    return fresh;
  }
}

/** @throws {InvalidParamsError} */
function queryDataOf(data: WebhookData | undefined): string {
  const text = JSON.stringify(data?.value ?? {});
  // Escaping never shortens data, so data that is too long already is not escaped first.
  const length =
    text.length > MAX_QUERY_DATA_LENGTH ? text.length : new URLSearchParams([['', text]]).toString().length - 1;
  if (!data || length <= MAX_QUERY_DATA_LENGTH) return text;
  throw new InvalidParamsError(
    data.field,
    `${data.field} is too long for this paymaster, whose webhook gets it in an address: ` +
      `at most ${MAX_QUERY_DATA_LENGTH} characters of JSON, escaped as in a query.`,
  );
}

/** Half a sentence for the client; URLs and addresses stay out of it. */
const WHY = {
  FORBIDDEN_TARGET: 'its address is not allowed',
  UNREACHABLE: 'it cannot be reached',
  TIMEOUT: `it did not answer within ${DEFAULT_DEADLINES.decisionMs / 1_000} s`,
  BAD_ANSWER: 'its answer is not understood',
} as const;

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
