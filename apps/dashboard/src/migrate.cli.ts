import 'reflect-metadata';
import { loadConfig, runMigrateCommand } from '@paymaster/nest-kit';
import { DatabaseConfig } from './config/database.config';
import { migrateDashboard } from './database/data-source';
import { SCHEMA } from './database/schema';

runMigrateCommand({
  schema: SCHEMA,
  migrate: () => migrateDashboard(loadConfig(DatabaseConfig).databaseUrl),
});
