import { Module } from '@nestjs/common';
import { AnswersModule } from '../answers/answers.module';
import { BundlersModule } from '../bundlers/bundlers.module';
import { CallersModule } from '../callers/callers.module';
import { DecideModule } from '../decide/decide.module';
import { GatewayMetricsModule } from '../metrics/gateway-metrics.module';
import { DIALECTS } from './dialects';
import { JsonRpcServer } from './json-rpc/json-rpc.server';
import { MethodRegistry } from './json-rpc/method-registry';
import { SPOKEN_DIALECTS } from './json-rpc/rpc-method';
import { openRpcDialect } from './open-rpc/rpc.discover';
import { Operations } from './operations/operations.service';
import { RequestLog } from './request-log/request-log.service';

@Module({
  imports: [AnswersModule, BundlersModule, CallersModule, DecideModule, GatewayMetricsModule],
  providers: [
    { provide: SPOKEN_DIALECTS, useValue: [...DIALECTS, openRpcDialect(DIALECTS)] },
    JsonRpcServer,
    MethodRegistry,
    Operations,
    RequestLog,
  ],
  exports: [JsonRpcServer, Operations],
})
export class WireModule {}
