import { DatabasePoolSizeVariable, DatabaseUrlVariable } from '@paymaster/nest-kit';

/** What it takes to reach the database; all that migrating needs. */
export class DatabaseConfig {
  @DatabaseUrlVariable()
  readonly databaseUrl!: string;

  @DatabasePoolSizeVariable({ least: 2, most: 200 })
  readonly databasePoolSize: number = 10;
}
