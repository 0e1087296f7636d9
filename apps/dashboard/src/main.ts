import 'reflect-metadata';
import { listenUntilSignalled, loadConfig, openMonitor, run } from '@paymaster/nest-kit';
import { DashboardConfig } from './platform/config/dashboard.config';
import { createApp } from './create-app';

run(async () => {
  const config = loadConfig(DashboardConfig);
  const monitor = await openMonitor(config);
  await listenUntilSignalled(await createApp(config), { ...config, monitor });
});
