import type { MetricDescription, Sample, ScrapedMetric, ScrapedValues } from './scraped-metric';

/** One number, or one for each set of labels. */
export type Read = number | readonly Sample[] | undefined;

/** A number that is kept elsewhere and read when Prometheus asks. A number that cannot be read is left out. */
export class Reading implements ScrapedMetric {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];

  constructor(
    readonly type: 'counter' | 'gauge',
    { name, help, labelNames = [] }: MetricDescription,
    private readonly read: () => Read | Promise<Read>,
  ) {
    this.name = name;
    this.help = help;
    this.labelNames = labelNames;
  }

  async get(): Promise<ScrapedValues> {
    const { name, help, type } = this;
    return { name, help, type, aggregator: 'sum', values: await this.samples() };
  }

  private async samples(): Promise<readonly Sample[]> {
    try {
      const read = await this.read();
      return typeof read === 'number' ? [{ labels: {}, value: read }] : (read ?? []);
    } catch {
      // The other numbers are still reported. An alert on absent numbers covers this one.
      return [];
    }
  }
}
