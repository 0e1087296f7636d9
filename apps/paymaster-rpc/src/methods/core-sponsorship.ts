import { Injectable } from '@nestjs/common';
import { SponsorshipRefusedError } from '@paymaster/domain';
import { SponsorUserOperation, type SponsorRequest } from '../sponsorship/sponsor-user-operation.service';
import type { SponsorshipRequest } from './core-request';
import { presentSponsorship, presentUnsponsored, type SponsoredResult } from './present-sponsorship';

/** What both methods of the core dialect do in sponsored mode: they differ in name only. */
@Injectable()
export class CoreSponsorship {
  constructor(private readonly sponsorUserOperation: SponsorUserOperation) {}

  async answer({ caller, operation, mode, modeField }: SponsorshipRequest): Promise<SponsoredResult> {
    const request: SponsorRequest = {
      caller,
      operation,
      account: mode.account,
      calculateGasLimits: mode.calculateGasLimits,
      expiry: { seconds: mode.expirySeconds, field: `${modeField}.expiryDuration` },
    };
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
