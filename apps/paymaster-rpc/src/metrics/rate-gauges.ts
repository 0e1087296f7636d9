import { Injectable } from '@nestjs/common';
import { Metrics, watchRateSharing } from '@paymaster/nest-kit';
import { CallerService } from '../callers/caller.service';

/** Whether this process shares the rate limits of callers with the other gateways. */
@Injectable()
export class RateGauges {
  constructor(metrics: Metrics, callers: CallerService) {
    watchRateSharing(metrics, () => callers.rateSharing);
  }
}
