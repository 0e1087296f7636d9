import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { loadChainsFile } from '@paymaster/chain';
import type { Ledger } from '@paymaster/ledger';
import { createHttpApp } from '@paymaster/nest-kit';
import { AppModule } from './app.module';
import { openSigner } from './config/open-signer';
import type { PaymasterRpcConfig } from './config/paymaster-rpc.config';
import { JsonRpcHttp } from './json-rpc/json-rpc.http';
import { JsonRpcServer } from './json-rpc/json-rpc.server';
import { BODY_LIMIT_BYTES } from './json-rpc/read-body';

/**
 * The gateway, ready to listen: Nest for everything but the JSON-RPC route, which shares its port.
 *
 * @param ledger instead of the one that the configuration names
 * @throws {SignerKeyError} saying what to do about the signer's key
 * @throws {ChainsFileError} naming the file and the field
 */
export async function createGateway(
  config: PaymasterRpcConfig,
  { ledger }: { ledger?: Ledger } = {},
): Promise<NestFastifyApplication> {
  // Before Nest, whose report of a failed boot is many lines: a key or a file that cannot be used is one sentence.
  const signer = await openSigner(config);
  const chains = loadChainsFile(config.chainsFile);
  const jsonRpc = new JsonRpcHttp(config);
  const app = await createHttpApp(AppModule.register(config, { signer, chains, ledger }), {
    bodyLimitBytes: BODY_LIMIT_BYTES,
    trustedProxies: config.trustedProxies,
    serverFactory: (nest) => jsonRpc.createServer(nest),
  });
  await jsonRpc.open(app.get(JsonRpcServer));
  return app;
}
