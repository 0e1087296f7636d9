import { Injectable } from '@nestjs/common';
import type { HealthCheck, HealthReport } from '@paymaster/nest-kit';
import { DataSource } from 'typeorm';

/** Postgres answers. Nothing here works without it. */
@Injectable()
export class DatabaseHealthCheck implements HealthCheck {
  readonly name = 'database';
  readonly essential = true;

  constructor(private readonly dataSource: DataSource) {}

  async check(): Promise<HealthReport> {
    await this.dataSource.query('SELECT 1');
    return { status: 'up' };
  }
}
