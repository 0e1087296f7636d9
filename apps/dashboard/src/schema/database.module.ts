import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { PostgresConnectionOptions } from 'typeorm/driver/postgres/PostgresConnectionOptions';
import { DashboardConfig } from '../platform/config/dashboard.config';
import { dataSourceOptions, openDataSource } from './data-source';
import { DatabaseHealthCheck } from '../platform/database/database.health-check';

/** The connected, migrated database. A start without Postgres waits half a minute for it. */
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [DashboardConfig],
      useFactory: (config: DashboardConfig) => ({ ...dataSourceOptions(config), retryAttempts: 15, retryDelay: 2_000 }),
      dataSourceFactory: (options) => openDataSource(options as PostgresConnectionOptions),
    }),
  ],
  providers: [DatabaseHealthCheck],
  exports: [DatabaseHealthCheck],
})
export class DatabaseModule {}
