import { Injectable } from '@nestjs/common';
import type { Caller } from '../callers/caller';
import type { MethodDocument, RpcMethod } from '../json-rpc/rpc-method';
import { erc7677Params } from '../schemas/erc7677-params.schema';
import { paymasterDataResultSchema } from '../schemas/results.schema';
import { StubSponsorship } from '../sponsorship/stub-sponsorship.service';
import { StubTokenPayment } from '../token-mode/stub-token-payment.service';
import { parseErc7677Request } from './erc7677-request';
import { presentPaymasterData, type PaymasterDataResult } from './present-paymaster-data';
import { CONTEXT_QUESTION } from './request-kinds';
import { tokenAndPermit } from './requested-mode';

/** ERC-7677: data of the final's length for the client's estimation, checked against the policy, never valid. */
@Injectable()
export class PmGetPaymasterStubData implements RpcMethod {
  readonly name = 'pm_getPaymasterStubData';
  readonly dialect = 'standard';
  readonly kind = CONTEXT_QUESTION;
  readonly document = {
    summary: 'Paymaster data to estimate gas with (ERC-7677). It can never be submitted.',
    params: erc7677Params('stub'),
    result: { name: 'paymasterStubData', schema: paymasterDataResultSchema },
    refusals: ['request', 'caller', 'wallet', 'operation', 'policy', 'token', 'chain'],
  } satisfies MethodDocument;

  constructor(
    private readonly sponsorship: StubSponsorship,
    private readonly tokenPayment: StubTokenPayment,
  ) {}

  async handle(params: readonly unknown[], caller: Caller): Promise<PaymasterDataResult> {
    const { operation, mode, expiry } = parseErc7677Request(params, caller);
    const question = { caller, operation, account: mode.account };
    return presentPaymasterData(
      mode.mode === 'ERC20'
        ? await this.tokenPayment.stub({ ...question, ...tokenAndPermit(mode) })
        : await this.sponsorship.stub({ ...question, expiry }),
    );
  }
}
