import { Injectable } from '@nestjs/common';
import { InvalidParamsError, SponsorshipRefusedError } from '@paymaster/domain';
import type { Caller } from '../callers/caller';
import type { MethodDocument, RpcMethod } from '../json-rpc/rpc-method';
import { coreParams } from '../schemas/core-params.schema';
import { ExplainOperation } from '../sponsorship/explain-operation.service';
import { isInTokenMode, parseCoreRequest } from './core-request';
import { sponsorRequestOf } from './core-sponsorship';
import { explanationSchema, presentExplanation, type ExplanationResult } from './present-explanation';
import { CORE_QUESTION } from './request-kinds';

/** What `pm_sponsorUserOperation` would answer to the same parameters, and why; without any effect. */
@Injectable()
export class PmExplain implements RpcMethod {
  readonly name = 'pm_explain';
  readonly dialect = 'core';
  readonly kind = CORE_QUESTION;
  readonly document = {
    summary:
      'Whether an operation would be sponsored, and why, with every rule that was looked at. Holds, signs and records nothing. Only where the paymaster explains refusals to clients.',
    params: coreParams,
    result: { name: 'explanation', schema: explanationSchema },
    refusals: ['request', 'caller', 'operation', 'explanation'],
  } satisfies MethodDocument;

  constructor(private readonly explainOperation: ExplainOperation) {}

  async handle(params: readonly unknown[], caller: Caller): Promise<ExplanationResult> {
    assertExplains(caller);
    const request = parseCoreRequest(params, caller);
    if (isInTokenMode(request)) {
      throw new InvalidParamsError(`${request.modeField}.mode`, 'pm_explain explains sponsorship, not token payments.');
    }
    return presentExplanation(await this.explainOperation.explain(sponsorRequestOf(request)));
  }
}

/** The key is often public, and a trace tells limits and how far they are used. */
function assertExplains({ paymaster }: Caller): void {
  if (paymaster.snapshot.settings.explainToClients) return;
  throw new SponsorshipRefusedError('EXPLANATIONS_OFF', 'This paymaster does not explain its decisions to clients.');
}
