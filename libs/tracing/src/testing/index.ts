/** For tests: a collector that takes spans, and can misbehave. */
export * from './otlp-collector';
