import { Injectable } from '@nestjs/common';
import type { Caller } from '../callers/caller';
import type { MethodDocument, RpcMethod } from '../json-rpc/rpc-method';
import { coreParams } from '../schemas/core-params.schema';
import { sponsoredResultSchema } from '../schemas/results.schema';
import { isInTokenMode, parseCoreRequest } from './core-request';
import { CoreSponsorship } from './core-sponsorship';
import { CoreTokenPayment } from './core-token-payment';
import type { SponsoredResult } from './present-sponsorship';
import { CORE_SIGNATURE } from './request-kinds';

/** What SDKs call right before they sign the operation, in either mode. */
@Injectable()
export class PmSponsorUserOperation implements RpcMethod {
  readonly name = 'pm_sponsorUserOperation';
  readonly dialect = 'core';
  readonly kind = CORE_SIGNATURE;
  readonly document = {
    summary: 'Sponsors a user operation, or lets its sender pay in a token: paymasterAndData and gas limits.',
    params: coreParams,
    result: { name: 'sponsorship', schema: sponsoredResultSchema },
    refusals: ['request', 'caller', 'wallet', 'operation', 'policy', 'signature', 'token'],
  } satisfies MethodDocument;

  constructor(
    private readonly sponsorship: CoreSponsorship,
    private readonly tokenPayment: CoreTokenPayment,
  ) {}

  handle(params: readonly unknown[], caller: Caller): Promise<SponsoredResult> {
    const request = parseCoreRequest(params, caller);
    return isInTokenMode(request) ? this.tokenPayment.answer(request) : this.sponsorship.answer(request);
  }
}
