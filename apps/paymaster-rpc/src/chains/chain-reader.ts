import type { ChainReads } from '@paymaster/chain';
import type { ProviderUse } from '@paymaster/nest-kit';

/** A part that reads the chain, and what for. */
export interface ChainReader {
  readonly use: ProviderUse;
  readonly reader: Pick<ChainReads, 'status'>;
}
