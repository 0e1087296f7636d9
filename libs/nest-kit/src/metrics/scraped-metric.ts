/** One number with its labels, as it is now. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What Prometheus is told of a metric beside its numbers. */
export interface MetricDescription {
  /** With its unit; counters end in `_total`. */
  readonly name: string;
  /** A sentence for whoever meets it in Grafana. */
  readonly help: string;
  readonly labelNames?: readonly string[];
}

/** All that `prom-client`'s registry asks of a metric: numbers of ours need no more of it while they are counted. */
export interface ScrapedMetric extends MetricDescription {
  readonly type: 'counter' | 'gauge' | 'histogram';
  get(): Promise<ScrapedValues>;
}

export interface ScrapedValues extends MetricDescription {
  readonly type: ScrapedMetric['type'];
  readonly aggregator: 'sum';
  readonly values: readonly (Sample & { readonly metricName?: string })[];
}
