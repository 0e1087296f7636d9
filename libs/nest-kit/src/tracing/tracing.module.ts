import {
  Global,
  Inject,
  Injectable,
  Module,
  type DynamicModule,
  type FactoryProvider,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { openTracing, type Tracer } from '@paymaster/tracing';
import { Logger } from 'nestjs-pino';
import type { TracingSettings } from './tracing-variables';

/** Injection token of the tracer of this process. */
export const TRACER = Symbol('TRACER');

/** Sends the last spans when everything that makes spans has stopped. */
@Injectable()
class LastSpans implements OnApplicationShutdown {
  constructor(@Inject(TRACER) private readonly tracer: Tracer) {}

  onApplicationShutdown(): Promise<void> {
    return this.tracer.close();
  }
}

/** The tracer of an app, for every module: off where the settings name no collector. */

@Global()
@Module({})
export class TracingModule {
  static register(settings: TracingSettings): DynamicModule {
    const tracer: FactoryProvider<Tracer> = {
      provide: TRACER,
      inject: [Logger],
      useFactory: (logger: Logger) =>
        openTracing({
          serviceName: settings.tracesServiceName,
          endpoint: settings.otlpEndpoint,
          headers: settings.otlpHeaders,
          sampleRatio: settings.tracesSampleRatio,
          onFault: (message) => logger.warn(message),
        }),
    };
    return { module: TracingModule, providers: [tracer, LastSpans], exports: [TRACER] };
  }
}
