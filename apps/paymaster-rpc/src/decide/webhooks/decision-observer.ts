import type { WebhookAnswer, WebhookError } from '@paymaster/webhooks';
import type { Decision } from './decision-answer';

/** The outcome of a question that was sent to an owner's server. */
export type AskedOutcome =
  'allowed' | 'refused' | 'notUnderstood' | 'failed' | 'unreachable' | 'timedOut' | 'forbidden';

/** Why a question was not sent: the breaker is open, or too many questions are under way. */
export type NotAskedOutcome = 'resting' | 'tooMany';

/** Called once for every question; it does not learn which paymaster's question it was. */
export interface DecisionObserver {
  /** @param seconds until the answer arrived, or until it was clear that none would */
  asked(outcome: AskedOutcome, seconds: number): void;
  notAsked(outcome: NotAskedOutcome): void;
}

const TOO_MANY_REQUESTS = 429;

/**
 * Whether an answer shows that the server is not well. A 4xx does not: with it the server refuses only this question.
 */
export function isOfIllServer({ status }: WebhookAnswer): boolean {
  return status >= 500 || status === TOO_MANY_REQUESTS;
}

/** Whether a fault shows that the server is not well. A forbidden address does not, because no packet was sent. */
export function isOfServer({ fault }: WebhookError): boolean {
  return fault !== 'FORBIDDEN_TARGET';
}

export function outcomeOfAnswer(answer: WebhookAnswer, decision: Decision): AskedOutcome {
  if (isOfIllServer(answer)) return 'failed';
  return decision === 'verified' ? 'allowed' : decision;
}

export const OUTCOME_OF_FAULT: Readonly<Record<WebhookError['fault'], AskedOutcome>> = {
  FORBIDDEN_TARGET: 'forbidden',
  UNREACHABLE: 'unreachable',
  TIMEOUT: 'timedOut',
  BAD_ANSWER: 'notUnderstood',
};
