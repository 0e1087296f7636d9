import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { loadChainsFile } from '@paymaster/chain';
import type { Ledger } from '@paymaster/ledger';
import { createHttpApp } from '@paymaster/nest-kit';
import type { Logger } from 'pino';
import { AppModule } from './app.module';
import { DEFAULT_DEADLINES, type Deadlines } from './platform/config/deadlines';
import { openGatewaySigners } from './platform/config/open-gateway-signers';
import type { PaymasterRpcConfig } from './platform/config/paymaster-rpc.config';
import { JsonRpcHttp } from './wire/json-rpc/json-rpc.http';
import { JsonRpcServer } from './wire/json-rpc/json-rpc.server';
import { BODY_LIMIT_BYTES } from './wire/json-rpc/read-body';
import { APP_LOGGER } from './platform/logging/app-logger';

/**
 * The gateway, ready to listen: Nest for everything but the JSON-RPC route, which shares its port.
 *
 * @param ledger instead of the one that the configuration names
 * @param options.deadlines other than those that clients need
 * @throws {SignerKeyError} saying what to do about the signers
 * @throws {ChainsFileError} naming the file and the field
 */
export async function createGateway(
  config: PaymasterRpcConfig,
  { ledger, ...options }: { ledger?: Ledger; deadlines?: Partial<Deadlines> } = {},
): Promise<NestFastifyApplication> {
  const deadlines = { ...DEFAULT_DEADLINES, ...options.deadlines };
  // Opened before Nest starts. If a key or a file cannot be used, the operator then reads one sentence instead of
  // Nest's long report of a failed boot.
  const signers = await openGatewaySigners(config);
  const chains = loadChainsFile(config.chainsFile);
  const jsonRpc = new JsonRpcHttp(config, () => {
    const logger = app.get<Logger>(APP_LOGGER, { strict: false });
    logger.warn('requests have passed a proxy and TRUSTED_PROXIES is 0: caps per client address count all as one');
  });
  const app = await createHttpApp(AppModule.register(config, { signers, chains, ledger, deadlines }), {
    bodyLimitBytes: BODY_LIMIT_BYTES,
    trustedProxies: config.trustedProxies,
    serverFactory: (nest) => jsonRpc.createServer(nest),
  });
  await jsonRpc.open(app.get(JsonRpcServer), deadlines.requestMs);
  return app;
}
