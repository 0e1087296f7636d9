/** One number with its labels, as it is now. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The description of a metric for Prometheus. */
export interface MetricDescription {
  /** With its unit; counters end in `_total`. */
  readonly name: string;
  /** A sentence for a person who meets the metric in Grafana. */
  readonly help: string;
  readonly labelNames?: readonly string[];
}

/** The part of prom-client's metric that its registry uses; our metrics implement only this part. */
export interface ScrapedMetric extends MetricDescription {
  readonly type: 'counter' | 'gauge' | 'histogram';
  get(): Promise<ScrapedValues>;
}

export interface ScrapedValues extends MetricDescription {
  readonly type: ScrapedMetric['type'];
  readonly aggregator: 'sum';
  readonly values: readonly (Sample & { readonly metricName?: string })[];
}
