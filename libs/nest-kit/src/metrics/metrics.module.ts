import { Global, Module } from '@nestjs/common';
import { Metrics } from './metrics';

/** The registry of the process, for all parts that have numbers to report. */
@Global()
@Module({ providers: [Metrics], exports: [Metrics] })
export class MetricsModule {}
