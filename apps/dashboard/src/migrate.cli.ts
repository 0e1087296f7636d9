import 'reflect-metadata';
import { loadConfig, runMigrateCommand } from '@paymaster/nest-kit';
import { DatabaseConfig } from './platform/config/database.config';
import { migrateDashboard } from './schema/data-source';
import { SCHEMA } from './schema/schema';

runMigrateCommand({
  schema: SCHEMA,
  migrate: () => migrateDashboard(loadConfig(DatabaseConfig).databaseUrl),
});
