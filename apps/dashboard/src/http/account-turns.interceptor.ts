import { Inject, Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { finalize, type Observable } from 'rxjs';
import { AccountTurns } from './account-turns';
import type { AuthenticatedRequest } from './caller';
import { JsonBody } from './json-body';

/** Smaller bodies wait for nobody: nothing that takes long can be made of them. */
const SMALL_BYTES = 4_096;

/** Lets the large requests of an account take turns, before anything is made of their bodies. */
@Injectable()
export class AccountTurnsInterceptor implements NestInterceptor {
  constructor(@Inject(AccountTurns) private readonly turns: AccountTurns) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const { account, body } = http.getRequest<AuthenticatedRequest>();
    const bytes = body instanceof JsonBody ? body.bytes : 0;
    if (!account || bytes <= SMALL_BYTES) return next.handle();
    const response = http.getResponse<FastifyReply>().raw;
    const done = await this.turns.begin({ accountId: account.id, bytes, response });
    return next.handle().pipe(finalize(() => done(bytes)));
  }
}
