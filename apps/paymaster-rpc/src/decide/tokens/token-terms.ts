import { tokenGasTerms, type TokenGasTerms } from '@paymaster/chain';
import type { AccountGasLimits, Address, ChargingWay, TokenListing, UserOperation } from '@paymaster/domain';
import { addTokenGas, DEFAULT_GAS_MARGINS } from '@paymaster/gas';
import type { Caller } from '../../callers/caller';
import type { SponsorTerms } from '../terms/sponsor-terms';

/**
 * The terms on which an operation is paid in a token by one way: the sponsor's contract and wallet, and the token's
 * gas.
 */
export interface TokenTerms extends Omit<SponsorTerms, 'constants' | 'stub'> {
  readonly token: TokenListing;
  readonly way: ChargingWay;
  /** The receiver of the tokens. */
  readonly feeReceiver: Address;
  /** The paymaster's own limits and `unaccountedGas`, with the gas of the token's calls. */
  readonly constants: TokenGasTerms;
}

/**
 * @param sponsor of the same paymaster and EntryPoint
 * @param tokenCallGas of the token's call in `postOp`, as simulated; without it the token's own bound stands
 */
export function tokenTerms(
  sponsor: SponsorTerms,
  request: { caller: Caller; token: TokenListing; way: ChargingWay; tokenCallGas?: bigint },
): TokenTerms {
  const { caller, token, way, tokenCallGas } = request;
  const { version, entryPoint, paymaster, fundingWallet, feeMarkupMillionths } = sponsor;
  return {
    ...{ version, entryPoint, paymaster, fundingWallet, feeMarkupMillionths, token, way },
    feeReceiver: caller.paymaster.snapshot.settings.tokenFeeReceiver ?? fundingWallet,
    constants: tokenGasTerms({
      version,
      way,
      transferGas: token.transferGas,
      gasPercent: caller.chain.config.entryPoints[version]?.tokenGasPercent,
      ...(tokenCallGas !== undefined && { tokenCallGas }),
    }),
  };
}

/**
 * The account's limits as sponsorship needs them, raised to what the token's way of paying takes.
 *
 * @param approveHeadroom for the `approve` that a client may still put in front
 */
export function withTokenGas(request: {
  limits: AccountGasLimits;
  operation: UserOperation;
  sponsor: SponsorTerms;
  terms: TokenTerms;
  approveHeadroom: boolean;
}): AccountGasLimits {
  const { limits, operation, sponsor, terms, approveHeadroom } = request;
  return addTokenGas({
    limits,
    operation,
    sponsorStub: sponsor.stub.paymasterAndData,
    token: { way: terms.way, terms: terms.constants, approveHeadroom },
    percent: DEFAULT_GAS_MARGINS.addedPreVerificationPercent,
  });
}
