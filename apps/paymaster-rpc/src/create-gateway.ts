import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createHttpApp } from '@paymaster/nest-kit';
import { AppModule } from './app.module';
import type { PaymasterRpcConfig } from './config/paymaster-rpc.config';
import { BODY_LIMIT_BYTES, jsonRpcRoutes } from './json-rpc/json-rpc.route';
import { JsonRpcServer } from './json-rpc/json-rpc.server';

/** The gateway, ready to listen. The JSON-RPC route is there before Nest adds its middleware, so it has none. */
export async function createGateway(config: PaymasterRpcConfig): Promise<NestFastifyApplication> {
  const app = await createHttpApp(AppModule.register(config), {
    bodyLimitBytes: BODY_LIMIT_BYTES,
    trustedProxies: config.trustedProxies,
  });
  await app
    .getHttpAdapter()
    .getInstance()
    .register(jsonRpcRoutes(app.get(JsonRpcServer)));
  return app;
}
