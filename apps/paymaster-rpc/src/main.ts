import 'reflect-metadata';
import { listenUntilSignalled, loadConfig, openMonitor, run } from '@paymaster/nest-kit';
import { PaymasterRpcConfig } from './platform/config/paymaster-rpc.config';
import { createGateway } from './create-gateway';

run(async () => {
  const config = loadConfig(PaymasterRpcConfig);
  const monitor = await openMonitor(config);
  await listenUntilSignalled(await createGateway(config), { ...config, monitor });
});
