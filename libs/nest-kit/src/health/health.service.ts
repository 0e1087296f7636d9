import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { inTime } from '@paymaster/turns';
import { HEALTH_CHECKS, type HealthCheck, type HealthReport } from './health-check';

const CHECK_TIMEOUT_MS = 1_500;

export interface HealthSummary {
  readonly status: 'ok' | 'degraded' | 'unavailable';
  readonly checks: Readonly<Record<string, HealthReport & { essential: boolean }>>;
}

/** Runs every check with a deadline and combines the results. A process that is shutting down is unavailable. */
@Injectable()
export class HealthService implements BeforeApplicationShutdown {
  private draining = false;

  constructor(@Inject(HEALTH_CHECKS) private readonly checks: readonly HealthCheck[]) {}

  /** From now on readiness fails, so that no new traffic comes here. */
  startDraining(): void {
    this.draining = true;
  }

  beforeApplicationShutdown(): void {
    this.startDraining();
  }

  async summarize(): Promise<HealthSummary> {
    const reports = await Promise.all(
      this.checks.map(async (check) => ({ name: check.name, essential: check.essential, ...(await runCheck(check)) })),
    );
    const down = reports.some((report) => report.essential && report.status === 'down');
    const impaired = reports.some((report) => report.status !== 'up');
    return {
      status: this.draining || down ? 'unavailable' : impaired ? 'degraded' : 'ok',
      checks: Object.fromEntries(reports.map(({ name, ...report }) => [name, report])),
    };
  }
}

async function runCheck(check: HealthCheck): Promise<HealthReport> {
  const late: HealthReport = { status: 'down', detail: `no answer within ${CHECK_TIMEOUT_MS} ms` };
  try {
    return await inTime(Promise.resolve(check.check()), CHECK_TIMEOUT_MS, () => late);
  } catch (error) {
    return { status: 'down', detail: error instanceof Error ? error.name : 'the check failed' };
  }
}
