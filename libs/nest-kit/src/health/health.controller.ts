import { Controller, Get, HttpStatus, Inject, Res } from '@nestjs/common';
import { HealthService, type HealthSummary } from './health.service';

interface Reply {
  status(code: number): unknown;
}

/** Liveness is the event loop only; readiness says whether this process can do its job; `/health` shows the details. */
@Controller('health')
export class HealthController {
  constructor(@Inject(HealthService) private readonly health: HealthService) {}

  @Get('live')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('ready')
  async ready(@Res({ passthrough: true }) reply: Reply): Promise<HealthSummary> {
    const summary = await this.health.summarize();
    if (summary.status === 'unavailable') reply.status(HttpStatus.SERVICE_UNAVAILABLE);
    return summary;
  }

  @Get()
  details(): Promise<HealthSummary> {
    return this.health.summarize();
  }
}
