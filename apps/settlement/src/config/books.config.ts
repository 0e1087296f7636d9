import { Type } from 'class-transformer';
import { IsNotEmpty, IsNumber, IsString, Max, Min } from 'class-validator';
import { Env, EnvInteger } from '@paymaster/nest-kit';
import { DatabaseConfig } from './database.config';

/** The settings that reading the ledger and the chains needs. The commands need no others. */
export class BooksConfig extends DatabaseConfig {
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

  @EnvInteger('REORG_WINDOW_BLOCKS', 'How many blocks may be undone; a deeper reorganisation halts the chain.', {
    from: 1,
    to: 10_000,
  })
  readonly reorgWindowBlocks: number = 64;
}
