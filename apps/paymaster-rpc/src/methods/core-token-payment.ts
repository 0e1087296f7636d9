import { Injectable } from '@nestjs/common';
import { SponsorshipRefusedError } from '@paymaster/domain';
import { POLICY_REASONS } from '@paymaster/policy';
import { SponsorUserOperation } from '../sponsorship/sponsor-user-operation.service';
import { PayInToken } from '../token-mode/pay-in-token.service';
import type { TokenModeRequest } from './core-request';
import { presentSponsorship, presentUnsponsored, type SponsoredResult } from './present-sponsorship';
import { tokenAndPermit } from './requested-mode';

/** The final call of the core dialect in ERC20 mode. */
@Injectable()
export class CoreTokenPayment {
  constructor(
    private readonly payInToken: PayInToken,
    private readonly sponsorUserOperation: SponsorUserOperation,
  ) {}

  async answer({ caller, operation, mode }: TokenModeRequest): Promise<SponsoredResult> {
    const { account, calculateGasLimits, expirySeconds } = mode;
    const question = { caller, operation, account };
    try {
      const payment = await this.payInToken.pay({
        ...{ ...question, calculateGasLimits, expirySeconds, refuseExpiredQuote: true },
        ...tokenAndPermit(mode),
      });
      return presentSponsorship(mode.mode, payment);
    } catch (error) {
      if (caller.paymaster.snapshot.settings.onRefusal !== 'userPays' || !isPolicyRefusal(error)) throw error;
      return presentUnsponsored(mode.mode, await this.sponsorUserOperation.limitsForUserPays(question, error));
    }
  }
}

/**
 * `userPays` answers what the owner's policy refuses, as in sponsorship. A quote that has expired or a token that is
 * missing is for the client to put right: its user chose to pay in a token, not in coin.
 */
function isPolicyRefusal(error: unknown): error is SponsorshipRefusedError {
  return error instanceof SponsorshipRefusedError && error.reason in POLICY_REASONS;
}
