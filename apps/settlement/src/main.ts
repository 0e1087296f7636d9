import 'reflect-metadata';
import { listenUntilSignalled, loadConfig, run } from '@paymaster/nest-kit';
import { SettlementConfig } from './config/settlement.config';
import { createApp } from './create-app';

run(async () => {
  const config = loadConfig(SettlementConfig);
  await listenUntilSignalled(await createApp(config), config);
});
