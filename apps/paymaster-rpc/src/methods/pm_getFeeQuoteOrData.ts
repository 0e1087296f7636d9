import { Injectable } from '@nestjs/common';
import type { Caller } from '../callers/caller';
import type { RpcMethod } from '../json-rpc/rpc-method';
import { coreParams } from '../schemas/core-params.schema';
import { sponsoredResultSchema } from '../schemas/results.schema';
import { CoreSponsorship, type SponsoredResult } from './core-sponsorship';

/** The operation of the interface document, part A. */
@Injectable()
export class PmGetFeeQuoteOrData implements RpcMethod {
  readonly name = 'pm_getFeeQuoteOrData';
  readonly dialect = 'core';
  readonly document = {
    summary: 'Sponsors a user operation, or prices it in tokens (ERC20 mode, not enabled yet).',
    params: coreParams,
    result: { name: 'sponsorship', schema: sponsoredResultSchema },
  };

  constructor(private readonly core: CoreSponsorship) {}

  handle(params: readonly unknown[], caller: Caller): Promise<SponsoredResult> {
    return this.core.answer(params, caller);
  }
}
