import { Transform } from 'node:stream';
import { ServiceUnavailableException } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { BodyMemory, whenOver, type KeptBody } from '@paymaster/nest-kit';

/**
 * The most bytes of bodies that a process keeps at once: 32 of the largest bodies. That much fits into a pod beside
 * everything else.
 */
const MOST_BODY_BYTES = 32 * 2 ** 20;

/**
 * Bounds the bodies of all requests together, besides the bound on each body. A request for which there is no room is
 * answered with 503.
 */
export function boundBodies(app: NestFastifyApplication): void {
  const memory = new BodyMemory(MOST_BODY_BYTES);
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('preParsing', (_request, reply, payload, done) => {
    const kept: KeptBody = { bytes: 0, giveUp: () => counted.destroy(new ServiceUnavailableException()) };
    const counted = Object.assign(
      new Transform({
        transform(chunk: Buffer, _encoding, next) {
          if (!memory.take(kept, chunk.length)) return next(new ServiceUnavailableException());
          counted.receivedEncodedLength += chunk.length;
          next(null, chunk);
        },
        flush(next) {
          memory.complete(kept);
          next();
        },
      }),
      { receivedEncodedLength: 0 },
    );
    // When a body is refused unread, Node reports no end of it.
    counted.on('error', () => undefined);
    payload.once('error', (error) => counted.destroy(error));
    payload.once('close', () => void (payload.readableEnded || counted.destroy()));
    whenOver(reply.raw, () => {
      memory.end(kept);
      // The request is answered already, so the bytes that still arrive are dropped.
      payload.unpipe(counted).resume();
      counted.destroy();
    });
    done(null, payload.pipe(counted));
  });
}
