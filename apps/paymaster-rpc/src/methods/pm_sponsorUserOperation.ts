import { Injectable } from '@nestjs/common';
import type { Caller } from '../callers/caller';
import type { RpcMethod } from '../json-rpc/rpc-method';
import { coreParams } from '../schemas/core-params.schema';
import { sponsoredResultSchema } from '../schemas/results.schema';
import { CoreSponsorship, type SponsoredResult } from './core-sponsorship';

/** What SDKs call right before they sign the operation; the same as pm_getFeeQuoteOrData in sponsored mode. */
@Injectable()
export class PmSponsorUserOperation implements RpcMethod {
  readonly name = 'pm_sponsorUserOperation';
  readonly dialect = 'core';
  readonly document = {
    summary: 'Sponsors a user operation: paymasterAndData and gas limits.',
    params: coreParams,
    result: { name: 'sponsorship', schema: sponsoredResultSchema },
  };

  constructor(private readonly core: CoreSponsorship) {}

  handle(params: readonly unknown[], caller: Caller): Promise<SponsoredResult> {
    return this.core.answer(params, caller);
  }
}
