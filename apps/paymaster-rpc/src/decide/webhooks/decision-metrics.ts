import { Injectable } from '@nestjs/common';
import { Metrics, type Tally, type Timing } from '@paymaster/nest-kit';
import type { AskedOutcome, DecisionObserver, NotAskedOutcome } from './decision-observer';

/** The label of each outcome. All labels are listed, so that every series exists from the start. */
const LABELS: Readonly<Record<AskedOutcome | NotAskedOutcome, string>> = {
  ...{ allowed: 'allowed', refused: 'refused', notUnderstood: 'not_understood', failed: 'failed' },
  ...{ unreachable: 'unreachable', timedOut: 'timed_out', forbidden: 'forbidden' },
  ...{ resting: 'resting', tooMany: 'too_many' },
};

/** How owners' servers answer decision webhooks. The metrics count all servers together; owners are not a label. */
@Injectable()
export class DecisionMetrics implements DecisionObserver {
  private readonly seconds: Timing;
  private readonly tallies: Readonly<Record<AskedOutcome | NotAskedOutcome, Tally>>;

  constructor(metrics: Metrics) {
    const questions = metrics.counter({
      name: 'paymaster_decision_webhooks_total',
      help: "Questions to owners' decision webhooks, by what became of them",
      labelNames: ['outcome'],
    });
    const tallies = Object.entries(LABELS).map(([key, outcome]) => [key, questions.tally({ outcome })]);
    this.tallies = Object.fromEntries(tallies) as typeof this.tallies;
    const seconds = { name: 'paymaster_decision_webhook_seconds', help: 'How long decision webhooks took to answer' };
    this.seconds = metrics.histogram(seconds).timing();
  }

  asked(outcome: AskedOutcome, seconds: number): void {
    this.tallies[outcome].value++;
    this.seconds.observe(seconds);
  }

  notAsked(outcome: NotAskedOutcome): void {
    this.tallies[outcome].value++;
  }
}
