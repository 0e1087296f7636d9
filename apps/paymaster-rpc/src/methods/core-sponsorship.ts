import { Injectable } from '@nestjs/common';
import { SponsorshipRefusedError } from '@paymaster/domain';
import type { SponsorRequest } from '../sponsorship/judge-operation.service';
import { SponsorUserOperation } from '../sponsorship/sponsor-user-operation.service';
import type { SponsorshipRequest } from './core-request';
import { presentSponsorship, presentUnsponsored, type SponsoredResult } from './present-sponsorship';

/** What the service is asked with. */
export function sponsorRequestOf({ caller, operation, mode, modeField }: SponsorshipRequest): SponsorRequest {
  const { account, calculateGasLimits, expirySeconds, webhookData } = mode;
  const expiry = { seconds: expirySeconds, field: `${modeField}.expiryDuration` };
  return { caller, operation, account, calculateGasLimits, expiry, webhookData };
}

/** What both methods of the core dialect do in sponsored mode: they differ in name only. */
@Injectable()
export class CoreSponsorship {
  constructor(private readonly sponsorUserOperation: SponsorUserOperation) {}

  async answer(asked: SponsorshipRequest): Promise<SponsoredResult> {
    const request = sponsorRequestOf(asked);
    const { caller, mode } = asked;
    try {
      return presentSponsorship(mode.mode, await this.sponsorUserOperation.sponsor(request));
    } catch (error) {
      if (caller.paymaster.snapshot.settings.onRefusal !== 'userPays' || !(error instanceof SponsorshipRefusedError)) {
        throw error;
      }
      return presentUnsponsored(mode.mode, await this.sponsorUserOperation.limitsForUserPays(request, error));
    }
  }
}
