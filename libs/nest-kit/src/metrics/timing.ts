import type { MetricDescription, ScrapedMetric, ScrapedValues } from './scraped-metric';

/** Counts how often a value fell under each bound of a histogram. */
export class Timing {
  sum = 0;
  /** Counts by bucket, not added up; one more than there are bounds. */
  readonly counts: Float64Array;

  constructor(private readonly bounds: readonly number[]) {
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const { bounds, counts } = this;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket++;
    counts[bucket]!++;
    this.sum += value;
  }
}

/** A histogram for hot paths: the caller looks its {@link Timing} up once, and observing makes no object. */
export class TimingHistogram implements ScrapedMetric {
  readonly type = 'histogram';
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  private readonly bounds: readonly number[];
  private readonly timings: Array<{ readonly labels: Record<string, string>; readonly timing: Timing }> = [];

  /** @param bounds upper bounds of the buckets, ascending, without infinity */
  constructor({ name, help, labelNames = [], bounds }: MetricDescription & { readonly bounds: readonly number[] }) {
    this.name = name;
    this.help = help;
    this.labelNames = labelNames;
    this.bounds = bounds;
  }

  /** Makes a timing: one for each set of labels, and only for bounded sets. */
  timing(labels: Record<string, string> = {}): Timing {
    const timing = new Timing(this.bounds);
    this.timings.push({ labels, timing });
    return timing;
  }

  get(): Promise<ScrapedValues> {
    const { name, help, type } = this;
    const values = this.timings.flatMap(({ labels, timing }) => this.valuesOf(labels, timing));
    return Promise.resolve({ name, help, type, aggregator: 'sum', values });
  }

  private valuesOf(labels: Record<string, string>, { counts, sum }: Timing): ScrapedValues['values'] {
    let count = 0;
    const buckets = [...counts].map((inBucket, index) => {
      count += inBucket;
      const le = index < this.bounds.length ? String(this.bounds[index]) : '+Inf';
      return { metricName: `${this.name}_bucket`, labels: { ...labels, le }, value: count };
    });
    return [
      ...buckets,
      { metricName: `${this.name}_sum`, labels, value: sum },
      { metricName: `${this.name}_count`, labels, value: count },
    ];
  }
}
