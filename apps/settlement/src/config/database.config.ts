import { DatabasePoolSizeVariable, DatabaseUrlVariable } from '@paymaster/nest-kit';

/** The settings that reaching the database needs. Migrating needs no others. */
export class DatabaseConfig {
  @DatabaseUrlVariable()
  readonly databaseUrl!: string;

  @DatabasePoolSizeVariable({ least: 2, most: 200 })
  readonly databasePoolSize: number = 10;
}
