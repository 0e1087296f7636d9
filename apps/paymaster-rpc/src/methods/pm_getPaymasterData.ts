import { Injectable } from '@nestjs/common';
import type { UserOperation } from '@paymaster/domain';
import type { Caller } from '../callers/caller';
import type { MethodDocument, RpcMethod } from '../json-rpc/rpc-method';
import { erc7677Params } from '../schemas/erc7677-params.schema';
import { paymasterDataResultSchema } from '../schemas/results.schema';
import { SponsorUserOperation } from '../sponsorship/sponsor-user-operation.service';
import { PayInToken } from '../token-mode/pay-in-token.service';
import { parseErc7677Request } from './erc7677-request';
import { presentPaymasterData, type PaymasterDataResult } from './present-paymaster-data';
import { CONTEXT_SIGNATURE } from './request-kinds';
import { tokenAndPermit } from './requested-mode';

/**
 * ERC-7677: the signed data. The client's limits are signed as they are; where one is zero or absent and the
 * context asks for `calculateGasLimits`, all of them are estimated and returned, final.
 */
@Injectable()
export class PmGetPaymasterData implements RpcMethod {
  readonly name = 'pm_getPaymasterData';
  readonly dialect = 'standard';
  readonly kind = CONTEXT_SIGNATURE;
  readonly document = {
    summary: 'Signed paymaster data (ERC-7677).',
    params: erc7677Params('data'),
    result: { name: 'paymasterData', schema: paymasterDataResultSchema },
    refusals: ['request', 'caller', 'wallet', 'operation', 'policy', 'signature', 'token', 'chain'],
  } satisfies MethodDocument;

  constructor(
    private readonly sponsorUserOperation: SponsorUserOperation,
    private readonly payInToken: PayInToken,
  ) {}

  async handle(params: readonly unknown[], caller: Caller): Promise<PaymasterDataResult> {
    const { operation, mode, wantsGasLimits, expiry } = parseErc7677Request(params, caller);
    const { account, expirySeconds } = mode;
    const calculateGasLimits = wantsGasLimits && lacksGasLimit(operation);
    const request = { caller, operation, account, calculateGasLimits };
    const sponsorship =
      mode.mode === 'ERC20'
        ? // Clients of this dialect do not quote before they pay: what another one let expire is not their business.
          await this.payInToken.pay({ ...request, ...tokenAndPermit(mode), expirySeconds, refuseExpiredQuote: false })
        : await this.sponsorUserOperation.sponsor({
            ...request,
            webhookData: mode.webhookData,
            expiry,
          });
    return presentPaymasterData(sponsorship, calculateGasLimits ? sponsorship.limits : undefined);
  }
}

function lacksGasLimit({ callGasLimit, verificationGasLimit, preVerificationGas }: UserOperation): boolean {
  return callGasLimit === 0n || verificationGasLimit === 0n || preVerificationGas === 0n;
}
