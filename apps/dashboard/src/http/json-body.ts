import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';

/** Deeper than any body of this API; what is deeper is an attack on whoever walks it. */
const MAX_DEPTH = 8;

/** A body that is no usable JSON. It travels to the validation, because the headers are checked before the body. */
export class UnreadableBody {
  constructor(readonly problem: string) {}
}

/** JSON is the only content type; anything else is answered with 415. */
export function acceptJsonOnly(app: NestFastifyApplication, bodyLimitBytes: number): void {
  const fastify = app.getHttpAdapter().getInstance();
  const parseJson = fastify.getDefaultJsonParser('error', 'error');
  fastify.removeAllContentTypeParsers();
  app.useBodyParser('application/json', { bodyLimit: bodyLimitBytes }, (request, body: Buffer, done) => {
    if (body.length === 0) return done(null, undefined);
    void parseJson(request as FastifyRequest, body.toString('utf8'), (error: Error | null, value?: unknown) =>
      done(null, readable(error, value)),
    );
  });
}

function readable(error: Error | null, value: unknown): unknown {
  // Keys such as __proto__ count as bad JSON too; the parser does not tell them apart.
  if (error) return new UnreadableBody('The body is not valid JSON');
  return isDeeperThan(value, MAX_DEPTH) ? new UnreadableBody('The body is nested too deeply') : value;
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((child) => isDeeperThan(child, depth - 1));
}
