/** What every app boots with: configuration, logging, health, metrics and graceful shutdown. */
export * from './commands/run-migrate-command';
export * from './config/check-env-example';
export * from './config/env.decorator';
export * from './config/load-config';
export * from './config/shared-variables';
export * from './health/health-check';
export * from './health/health.module';
export * from './health/health.service';
export * from './http/create-http-app';
export * from './http/token-buckets';
export * from './logging/log-unhandled-rejections';
export * from './logging/logger.module';
export * from './logging/redaction';
export * from './logging/request-id';
export * from './metrics/metrics';
export * from './metrics/metrics.module';
export * from './monitor/monitor';
