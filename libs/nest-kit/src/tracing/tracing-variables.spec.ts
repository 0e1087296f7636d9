import { ConfigError, loadConfig } from '../config/load-config';
import {
  OtlpEndpointVariable,
  OtlpHeadersVariable,
  TracesSampleRatioVariable,
  TracesServiceNameVariable,
} from './tracing-variables';

class ExampleConfig {
  @OtlpEndpointVariable()
  readonly otlpEndpoint?: string;

  @OtlpHeadersVariable()
  readonly otlpHeaders?: string;

  @TracesSampleRatioVariable()
  readonly tracesSampleRatio: number = 1;

  @TracesServiceNameVariable()
  readonly tracesServiceName: string = 'example';
}

describe('tracing variables', () => {
  it('are off unless a collector is named', () => {
    expect(loadConfig(ExampleConfig, {})).toEqual({ tracesSampleRatio: 1, tracesServiceName: 'example' });
  });

  it('are converted to what the properties are', () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318', OTEL_TRACES_SAMPLER_ARG: '0.25' };
    expect(loadConfig(ExampleConfig, env)).toMatchObject({
      otlpEndpoint: 'http://collector:4318',
      tracesSampleRatio: 0.25,
    });
  });

  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:secret@collector:4318'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.1'],
    ['OTEL_TRACES_SAMPLER_ARG', 'half'],
    ['OTEL_SERVICE_NAME', 'two words'],
  ])('are named when they are wrong: %s=%s', (name, value) => {
    expect(() => loadConfig(ExampleConfig, { [name]: value })).toThrow(ConfigError);
    expect(() => loadConfig(ExampleConfig, { [name]: value })).toThrow(name);
    expect(() => loadConfig(ExampleConfig, { [name]: value })).not.toThrow(/secret/);
  });
});
