import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { map, type Observable } from 'rxjs';
import { envelopeOf } from './envelope';
import { ANSWER, type AnswerDescription } from './openapi.decorators';

/** Puts what a controller returned into the envelope with the message of its route, where that has one. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const message = this.reflector.get<AnswerDescription | undefined>(ANSWER, context.getHandler())?.message;
    return message === undefined ? next.handle() : next.handle().pipe(map((value) => envelopeOf(message, value)));
  }
}
