import { Type } from 'class-transformer';
import { IsInt, Matches, Max, Min } from 'class-validator';
import { Env } from '@paymaster/nest-kit';

/** What it takes to reach the database; all that migrating needs. */
export class DatabaseConfig {
  @Env('DATABASE_URL', 'The Postgres database, for example postgres://user:password@host:5432/paymaster.', {
    secret: true,
  })
  @Matches(/^postgres(ql)?:\/\/\S+$/)
  readonly databaseUrl!: string;

  @Env('DATABASE_POOL_SIZE', 'How many Postgres connections one process keeps at most.')
  @Type(() => Number)
  @IsInt()
  @Min(2)
  @Max(200)
  readonly databasePoolSize: number = 10;
}
