import 'reflect-metadata';
import { listenUntilSignalled, loadConfig, run } from '@paymaster/nest-kit';
import { PaymasterRpcConfig } from './config/paymaster-rpc.config';
import { createGateway } from './create-gateway';

run(async () => {
  const config = loadConfig(PaymasterRpcConfig);
  await listenUntilSignalled(await createGateway(config), config);
});
