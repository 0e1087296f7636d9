/** The gateway as it is, but for its reservations. */
import 'reflect-metadata';
import { listenUntilSignalled, loadConfig, run } from '@paymaster/nest-kit';
import { PaymasterRpcConfig } from '../src/platform/config/paymaster-rpc.config';
import { createGateway } from '../src/create-gateway';
import { ledgerInMemory } from './ledger-in-memory';

run(async () => {
  const config = loadConfig(PaymasterRpcConfig);
  await listenUntilSignalled(await createGateway(config, { ledger: ledgerInMemory() }), config);
});
