import type { MetricDescription, ScrapedMetric, ScrapedValues } from './scraped-metric';

/** A number that only grows. */
export class Tally {
  value = 0;
}

/**
 * A counter for hot paths: the caller looks its {@link Tally} up once, and from then on counting is one addition.
 * `prom-client`'s own counter makes objects and a text of the labels each time.
 */
export class TallyCounter implements ScrapedMetric {
  readonly type = 'counter';
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  private readonly tallies: Array<{ readonly labels: Record<string, string>; readonly tally: Tally }> = [];

  constructor({ name, help, labelNames = [] }: MetricDescription) {
    this.name = name;
    this.help = help;
    this.labelNames = labelNames;
  }

  /** Makes a tally: one for each set of labels, and only for bounded sets. */
  tally(labels: Record<string, string> = {}): Tally {
    const tally = new Tally();
    this.tallies.push({ labels, tally });
    return tally;
  }

  get(): Promise<ScrapedValues> {
    const { name, help, type } = this;
    const values = this.tallies.map(({ labels, tally }) => ({ labels, value: tally.value }));
    return Promise.resolve({ name, help, type, aggregator: 'sum', values });
  }
}
