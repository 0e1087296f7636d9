import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import { envelopeOf } from './envelope';
import { ANSWER, type AnswerDescription } from './openapi.decorators';

/**
 * Puts what a controller returned into the envelope with the message of its route, where that has one. Who asks with
 * `Prefer: return=minimal` (RFC 7240) gets no data: the page is answered no key that nobody asked to see.
 */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const message = this.reflector.get<AnswerDescription | undefined>(ANSWER, context.getHandler())?.message;
    if (message === undefined) return next.handle();
    const http = context.switchToHttp();
    const isMinimal = /(^|[,;\s])return=minimal\b/.test(String(http.getRequest<FastifyRequest>().headers['prefer']));
    if (isMinimal) void http.getResponse<FastifyReply>().header('Preference-Applied', 'return=minimal');
    return next.handle().pipe(
      map((value) => {
        const envelope = envelopeOf(message, value);
        return isMinimal ? { ...envelope, data: undefined } : envelope;
      }),
    );
  }
}
