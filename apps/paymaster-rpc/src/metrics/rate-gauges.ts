import { Injectable } from '@nestjs/common';
import { Metrics, watchRateSharing } from '@paymaster/nest-kit';
import { CallerService } from '../callers/caller.service';

/** Whether the limits of callers are held with the other gateways, or alone. */
@Injectable()
export class RateGauges {
  constructor(metrics: Metrics, callers: CallerService) {
    watchRateSharing(metrics, () => callers.rateSharing);
  }
}
