import {
  Inject,
  Injectable,
  SetMetadata,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import { finalize, type Observable } from 'rxjs';
import { AccountTurns } from './account-turns';
import type { AuthenticatedRequest } from './caller';
import { JsonBody } from './json-body';

/** Smaller bodies wait for nobody: nothing that takes long can be made of them. */
const SMALL_BYTES = 4_096;

const TURNS = Symbol('TURNS');

/**
 * For requests that cost much however small their bodies are: they `always` take turns, or the route takes them `itself`,
 * one for each part of the work.
 */
export const TakesTurns = (how: 'always' | 'itself'): MethodDecorator => SetMetadata(TURNS, how);

/** Lets the large requests of an account take turns, before anything is made of their bodies. */
@Injectable()
export class AccountTurnsInterceptor implements NestInterceptor {
  constructor(
    @Inject(AccountTurns) private readonly turns: AccountTurns,
    @Inject(Reflector) private readonly reflector: Reflector,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const { account, body } = http.getRequest<AuthenticatedRequest>();
    const bytes = body instanceof JsonBody ? body.bytes : 0;
    const how = this.reflector.get<Parameters<typeof TakesTurns>[0] | undefined>(TURNS, context.getHandler());
    const takesNone = how === 'itself' || (how === undefined && bytes <= SMALL_BYTES);
    if (!account || takesNone) return next.handle();
    const response = http.getResponse<FastifyReply>().raw;
    const done = await this.turns.begin({ accountId: account.id, bytes, response });
    return next.handle().pipe(finalize(() => done(bytes)));
  }
}
