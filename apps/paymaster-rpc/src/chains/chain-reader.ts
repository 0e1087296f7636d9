import type { ChainReads } from '@paymaster/chain';
import type { ProviderUse } from '@paymaster/nest-kit';

/** A part of the gateway that reads a chain, with the purpose of its reads. */
export interface ChainReader {
  readonly use: ProviderUse;
  readonly reader: Pick<ChainReads, 'status'>;
}
