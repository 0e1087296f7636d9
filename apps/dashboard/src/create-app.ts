import helmet from '@fastify/helmet';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createHttpApp, Metrics, TRACER } from '@paymaster/nest-kit';
import { AppModule } from './app.module';
import type { DashboardConfig } from './platform/config/dashboard.config';
import { forbidCaching } from './platform/http/forbid-caching';
import { boundBodies } from './platform/http/body-bounds';
import { acceptJsonOnly } from './platform/http/json-body';
import { KnownRoutes } from './platform/http/known-routes';
import { serveOpenApi } from './platform/http/openapi';
import { traceRequests } from './access/callers/trace-requests';
import { measureRequests } from './metrics/http-metrics';
import { serveWebPage } from './platform/web-page/serve-web-page';
import { startPolicyResponder } from './outbound/policy-snapshots/policy-responder';

/** The service, ready to listen. */
export async function createApp(config: Readonly<DashboardConfig>): Promise<NestFastifyApplication> {
  const app = await createHttpApp(AppModule.register(config), {
    bodyLimitBytes: config.maxBodyBytes,
    trustedProxies: config.trustedProxies,
  });
  acceptJsonOnly(app, config);
  boundBodies(app);
  forbidCaching(app);
  app.get(KnownRoutes).record(app);
  measureRequests(app, app.get(Metrics, { strict: false }));
  traceRequests(app, app.get(TRACER, { strict: false }));
  await app.register(helmet, { contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } });
  serveOpenApi(app);
  await serveWebPage(app, config);
  startPolicyResponder(app, config);
  return app;
}
