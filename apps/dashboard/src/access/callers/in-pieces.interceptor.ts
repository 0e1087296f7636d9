import { Readable } from 'node:stream';
import {
  Injectable,
  SetMetadata,
  StreamableFile,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { map, type Observable } from 'rxjs';
import { LongWork, type Pieces } from '@paymaster/nest-kit';
import type { AuthenticatedRequest } from './caller';

/**
 * How deep an answer is divided: the envelope, its data, and the lists in it. Each item of a list is written in one
 * piece.
 */
const LEVELS = 3;
const CHUNK_LENGTH = 65_536;
const IN_PIECES = Symbol('IN_PIECES');

/**
 * For routes whose answers may be megabytes: the answer is written in pieces, and other requests are served between the
 * pieces.
 */
export const AnswersInPieces = (): MethodDecorator => SetMetadata(IN_PIECES, true);

/** See {@link AnswersInPieces}. */
@Injectable()
export class InPiecesInterceptor implements NestInterceptor {
  constructor(
    private readonly work: LongWork,
    private readonly reflector: Reflector,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler<object>): Observable<object> {
    if (!this.reflector.get(IN_PIECES, context.getHandler())) return next.handle();
    const { account } = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const type = 'application/json; charset=utf-8';
    return next
      .handle()
      .pipe(map((answer) => new StreamableFile(Readable.from(chunksOf(answer, this.work.of(account!.id))), { type })));
  }
}

async function* chunksOf(answer: object, pieces: Pieces): AsyncGenerator<string> {
  let chunk = '';
  await pieces.pause();
  for (const text of jsonOf(answer, LEVELS)) {
    chunk += text;
    if (chunk.length >= CHUNK_LENGTH) {
      yield chunk;
      chunk = '';
    }
    await pieces.pause();
  }
  yield chunk;
}

/** The text that JSON.stringify would write, in parts. */
function* jsonOf(value: unknown, levels: number): Generator<string> {
  if (levels === 0 || typeof value !== 'object' || value === null || 'toJSON' in value) {
    yield JSON.stringify(value) ?? 'null';
  } else if (Array.isArray(value)) {
    yield '[';
    for (const [at, item] of value.entries()) {
      if (at > 0) yield ',';
      yield* jsonOf(item, levels - 1);
    }
    yield ']';
  } else {
    let before = '{';
    for (const [key, member] of Object.entries(value)) {
      if (member === undefined) continue;
      yield `${before}${JSON.stringify(key)}:`;
      yield* jsonOf(member, levels - 1);
      before = ',';
    }
    yield before === '{' ? '{}' : '}';
  }
}
