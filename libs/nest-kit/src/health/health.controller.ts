import { Controller, Get, HttpStatus, Inject, Res } from '@nestjs/common';
import { HealthService, type HealthSummary } from './health.service';

interface Reply {
  status(code: number): unknown;
}

/** Whether the answers say what is up and what is not; else they say no more than whether the process is. */
export const SHOWS_DETAILS = Symbol('SHOWS_DETAILS');

/**
 * Liveness is the event loop only; readiness says whether this process can do its job; `/health` shows the details, where
 * no other port is there for them.
 */
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthService,
    @Inject(SHOWS_DETAILS) private readonly showsDetails: boolean,
  ) {}

  @Get('live')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('ready')
  async ready(@Res({ passthrough: true }) reply: Reply): Promise<Partial<HealthSummary>> {
    const summary = await this.details();
    if (summary.status === 'unavailable') reply.status(HttpStatus.SERVICE_UNAVAILABLE);
    return summary;
  }

  @Get()
  async details(): Promise<Partial<HealthSummary>> {
    const summary = await this.health.summarize();
    if (this.showsDetails) return summary;
    return { status: summary.status === 'unavailable' ? 'unavailable' : 'ok' };
  }
}
