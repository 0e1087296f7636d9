import { DatabasePoolSizeVariable, DatabaseUrlVariable } from '@paymaster/nest-kit';

/** What it takes to reach the database; all that the account command needs. */
export class DatabaseConfig {
  @DatabaseUrlVariable()
  readonly databaseUrl!: string;

  @DatabasePoolSizeVariable({ least: 1, most: 200 })
  readonly databasePoolSize: number = 10;
}
