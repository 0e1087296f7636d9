import { Type } from 'class-transformer';
import { IsInt, IsNotEmpty, IsNumber, IsString, Matches, Max, Min } from 'class-validator';
import { Env } from '@paymaster/nest-kit';

/** What the ledger and the chains take to be read; all that the commands need. */
export class BooksConfig {
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

  @Env('CHAINS_FILE', "The operator's chains.json: the chains that are followed, and how to read them.")
  @IsString()
  @IsNotEmpty()
  readonly chainsFile!: string;

  @Env('LEASE_TTL_SECONDS', 'How long a leader that is gone keeps others from a chain; a step has to fit in it.')
  @Type(() => Number)
  @IsNumber()
  @Min(1)
  @Max(300)
  readonly leaseTtlSeconds: number = 15;

  @Env('REORG_WINDOW_BLOCKS', 'How many blocks may be undone; a deeper reorganisation halts the chain.')
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(10_000)
  readonly reorgWindowBlocks: number = 64;
}
