import 'reflect-metadata';
import { listenUntilSignalled, loadConfig, run } from '@paymaster/nest-kit';
import { DashboardConfig } from './config/dashboard.config';
import { createApp } from './create-app';

run(async () => {
  const config = loadConfig(DashboardConfig);
  await listenUntilSignalled(await createApp(config), config);
});
