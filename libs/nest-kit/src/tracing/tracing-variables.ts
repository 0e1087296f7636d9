/** Variables of tracing, with the names that OpenTelemetry gives them: a class gives each a property and its default. */
import { applyDecorators } from '@nestjs/common';
import { Type } from 'class-transformer';
import { IsNotEmpty, IsNumber, IsOptional, IsString, IsUrl, Matches, Max, Min } from 'class-validator';
import { Env } from '../config/env.decorator';

/** The tracing properties of a configuration class. */
export interface TracingSettings {
  readonly otlpEndpoint?: string | undefined;
  readonly otlpHeaders?: string | undefined;
  readonly tracesSampleRatio: number;
  readonly tracesServiceName: string;
}

/** For `otlpEndpoint`, which is undefined where tracing is off. */
export const OtlpEndpointVariable = (): PropertyDecorator =>
  applyDecorators(
    Env(
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'An OTLP/HTTP collector for traces, for example http://collector:4318. Without it there are none.',
    ),
    IsOptional(),
    IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'], disallow_auth: true }),
  );

/** For `otlpHeaders`. */
export const OtlpHeadersVariable = (): PropertyDecorator =>
  applyDecorators(
    Env(
      'OTEL_EXPORTER_OTLP_HEADERS',
      'Headers that the collector asks for: name=value, separated by commas, values URL-encoded.',
      { secret: true },
    ),
    IsOptional(),
    IsString(),
    IsNotEmpty(),
  );

/** For `tracesSampleRatio`. */
export const TracesSampleRatioVariable = (): PropertyDecorator =>
  applyDecorators(
    Env('OTEL_TRACES_SAMPLER_ARG', 'The share of traces that is kept, from 0 to 1; the same in every app.'),
    Type(() => Number),
    IsNumber(),
    Min(0),
    Max(1),
  );

/** For `tracesServiceName`. */
export const TracesServiceNameVariable = (): PropertyDecorator =>
  applyDecorators(Env('OTEL_SERVICE_NAME', 'What the app is called in traces.'), Matches(/^[A-Za-z0-9_.-]{1,64}$/));
