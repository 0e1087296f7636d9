import { Injectable, SetMetadata, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import { finalize, type Observable } from 'rxjs';
import { AccountTurns } from './account-turns';
import type { AuthenticatedRequest } from './caller';
import { JsonBody } from '../../platform/http/json-body';

/** Smaller bodies do not wait for a turn, because parsing and validating them is always quick. */
const SMALL_BYTES = 4_096;

const TURNS = Symbol('TURNS');

/**
 * For routes whose requests cost much even with a small body. `always`: each request waits for a turn. `itself`: the
 * route takes a turn for each part of its work.
 */
export const TakesTurns = (how: 'always' | 'itself'): MethodDecorator => SetMetadata(TURNS, how);

/**
 * Lets the large requests of an account take turns, before their bodies are parsed; where a request is for no account,
 * those of a person, or of an address.
 */
@Injectable()
export class AccountTurnsInterceptor implements NestInterceptor {
  constructor(
    private readonly turns: AccountTurns,
    private readonly reflector: Reflector,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const { account, openSession, ip, body } = http.getRequest<AuthenticatedRequest>();
    const bytes = body instanceof JsonBody ? body.bytes : 0;
    const how = this.reflector.get<Parameters<typeof TakesTurns>[0] | undefined>(TURNS, context.getHandler());
    const takesNone = how === 'itself' || (how === undefined && bytes <= SMALL_BYTES);
    if (takesNone) return next.handle();
    const response = http.getResponse<FastifyReply>().raw;
    const accountId = account?.id ?? openSession?.person.id ?? ip;
    const done = await this.turns.begin({ accountId, bytes, response });
    return next.handle().pipe(finalize(() => done(bytes)));
  }
}
