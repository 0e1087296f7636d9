import { Module, type DynamicModule, type InjectionToken, type ModuleMetadata } from '@nestjs/common';
import { MetricsModule } from '../metrics/metrics.module';
import { HEALTH_CHECKS, type HealthCheck } from './health-check';
import { HealthController, SHOWS_DETAILS } from './health.controller';
import { HealthService } from './health.service';
import { ReadyGauge } from './ready-gauge';

export interface HealthModuleOptions {
  readonly imports?: ModuleMetadata['imports'];
  /** Injection tokens of the {@link HealthCheck}s, exported by `imports` or global modules. */
  readonly checks: readonly InjectionToken[];
  /** Of the second port, which shows the details; undefined where there is none. */
  readonly monitorPort?: number;
}

@Module({})
export class HealthModule {
  static register({ imports = [], checks, monitorPort }: HealthModuleOptions): DynamicModule {
    return {
      module: HealthModule,
      imports: [MetricsModule, ...imports],
      controllers: [HealthController],
      providers: [
        HealthService,
        ReadyGauge,
        { provide: SHOWS_DETAILS, useValue: monitorPort === undefined },
        { provide: HEALTH_CHECKS, inject: [...checks], useFactory: (...instances: HealthCheck[]) => instances },
      ],
      exports: [HealthService],
    };
  }
}
