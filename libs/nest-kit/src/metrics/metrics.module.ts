import { Global, Module } from '@nestjs/common';
import { Metrics } from './metrics';

/** The registry of the process, for everything that has a number to tell. */
@Global()
@Module({ providers: [Metrics], exports: [Metrics] })
export class MetricsModule {}
