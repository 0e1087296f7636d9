import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExtension } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { INTERFACE_ROW } from './openapi.decorators';

declare module 'fastify' {
  interface FastifyContextConfig {
    isInterfaceRow?: boolean;
  }
}

/**
 * Marks a route as a row of the interface document (part B). Existing clients rely on such a row, so the route ignores
 * unknown fields of its body, and its errors have exactly the fields `statusCode` and `message`.
 */
export const InterfaceRow = (): MethodDecorator =>
  applyDecorators(RouteConfig({ isInterfaceRow: true }), ApiExtension(INTERFACE_ROW, true));

/** Whether the request is to a route that is an {@link InterfaceRow}. */
export function isToInterfaceRow({ routeOptions }: Pick<FastifyRequest, 'routeOptions'>): boolean {
  return routeOptions.config.isInterfaceRow === true;
}
