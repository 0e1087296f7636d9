import 'reflect-metadata';
import { migrateLedger } from '@paymaster/ledger';
import { loadConfig, runMigrateCommand } from '@paymaster/nest-kit';
import { DatabaseConfig } from './config/database.config';

runMigrateCommand({
  schema: 'ledger',
  migrate: () => migrateLedger(loadConfig(DatabaseConfig).databaseUrl),
});
