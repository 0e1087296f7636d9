import { Injectable } from '@nestjs/common';
import type { HealthCheck, HealthReport } from '@paymaster/nest-kit';
import { Pool } from 'pg';

/** Checks that Postgres answers. Settlement does nothing without it. */
@Injectable()
export class DatabaseHealthCheck implements HealthCheck {
  readonly name = 'database';
  readonly essential = true;

  constructor(private readonly pool: Pool) {}

  async check(): Promise<HealthReport> {
    await this.pool.query('SELECT 1');
    return { status: 'up' };
  }
}
