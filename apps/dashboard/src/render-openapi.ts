import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { AppModule } from './app.module';
import { DashboardConfig } from './platform/config/dashboard.config';
import { buildOpenApi } from './platform/http/openapi';

/** The OpenAPI document as checked in. Starts nothing and connects nowhere. */
export async function renderOpenApi(): Promise<string> {
  const app = await NestFactory.create(AppModule.register(new DashboardConfig()), new FastifyAdapter(), {
    preview: true,
    logger: false,
    abortOnError: false,
  });
  return `${JSON.stringify(buildOpenApi(app), null, 2)}\n`;
}
