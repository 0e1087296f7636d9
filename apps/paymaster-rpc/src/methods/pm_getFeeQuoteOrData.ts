import { Injectable } from '@nestjs/common';
import type { Caller } from '../callers/caller';
import type { JsonText } from '../json-rpc/json-text';
import type { MethodDocument, RpcMethod } from '../json-rpc/rpc-method';
import { coreParams } from '../schemas/core-params.schema';
import { feeQuotesResultSchema, sponsoredResultSchema } from '../schemas/results.schema';
import { QuoteUserOperation } from '../token-mode/quote-user-operation.service';
import { isInTokenMode, parseCoreRequest, type TokenModeRequest } from './core-request';
import { CoreSponsorship } from './core-sponsorship';
import { presentFeeQuotes } from './present-fee-quotes';
import type { SponsoredResult } from './present-sponsorship';
import { CORE_SIGNATURE_OR_QUOTES } from './request-kinds';

/** The operation of the interface document, part A: sponsorship at once, or quotes for a payment in tokens. */
@Injectable()
export class PmGetFeeQuoteOrData implements RpcMethod {
  readonly name = 'pm_getFeeQuoteOrData';
  readonly dialect = 'core';
  readonly kind = CORE_SIGNATURE_OR_QUOTES;
  readonly document = {
    summary: 'Sponsors a user operation, or prices it in tokens (mode ERC20).',
    params: coreParams,
    result: { name: 'sponsorshipOrFeeQuotes', schema: { oneOf: [sponsoredResultSchema, feeQuotesResultSchema] } },
    refusals: ['request', 'caller', 'wallet', 'operation', 'policy', 'signature', 'token'],
  } satisfies MethodDocument;

  constructor(
    private readonly sponsorship: CoreSponsorship,
    private readonly quoteUserOperation: QuoteUserOperation,
  ) {}

  handle(params: readonly unknown[], caller: Caller): Promise<SponsoredResult | JsonText> {
    const request = parseCoreRequest(params, caller);
    return isInTokenMode(request) ? this.quotes(request) : this.sponsorship.answer(request);
  }

  private async quotes({ caller, operation, mode }: TokenModeRequest): Promise<JsonText> {
    const { account, calculateGasLimits, expirySeconds, tokens, field } = mode;
    const request = { caller, operation, account, calculateGasLimits, expirySeconds, tokens, modeField: field };
    return presentFeeQuotes(await this.quoteUserOperation.quote(request));
  }
}
