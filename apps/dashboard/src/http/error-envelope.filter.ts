import {
  Catch,
  HttpException,
  HttpStatus,
  Inject,
  Logger,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseUnavailable } from '../database/database-unavailable';
import { ChainUnavailableError, TooManyRequestsError, type DashboardError } from './dashboard-errors';
import { errorRowOf } from './error-table';
import { KnownRoutes } from './known-routes';

/** Sentences for what the framework refuses; anything else it says is about the request and may be passed on. */
const SENTENCES: Readonly<Record<number, string>> = {
  [HttpStatus.NOT_FOUND]: 'Not found',
  [HttpStatus.METHOD_NOT_ALLOWED]: 'Method not allowed',
  [HttpStatus.PAYLOAD_TOO_LARGE]: 'The body is too large',
  [HttpStatus.UNSUPPORTED_MEDIA_TYPE]: 'The content type must be application/json',
  [HttpStatus.SERVICE_UNAVAILABLE]: 'The service is temporarily unavailable',
  [HttpStatus.INTERNAL_SERVER_ERROR]: 'Internal server error',
};

const RETRY_AFTER_SECONDS = 2;

/** Every failure, ours or the framework's, leaves as the envelope; never with a stack trace. */
@Catch()
export class ErrorEnvelopeFilter implements ExceptionFilter {
  private readonly logger = new Logger('Http');

  constructor(@Inject(KnownRoutes) private readonly routes: KnownRoutes) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const row = errorRowOf(error);
    if (row) {
      const { message } = error as DashboardError;
      if (error instanceof TooManyRequestsError || error instanceof ChainUnavailableError)
        void reply.header('retry-after', error.retryAfterSeconds);
      void reply.status(row.httpStatus).send({ statusCode: row.bodyStatusCode, message });
      return;
    }
    const status = this.statusOf(error, request, reply);
    if (status >= HttpStatus.INTERNAL_SERVER_ERROR) this.log(error);
    if (status === HttpStatus.SERVICE_UNAVAILABLE) void reply.header('retry-after', RETRY_AFTER_SECONDS);
    const message = SENTENCES[status] ?? (error instanceof HttpException ? error.message : 'Bad request');
    void reply.status(status).send({ statusCode: status, message });
  }

  private statusOf(error: unknown, request: FastifyRequest, reply: FastifyReply): HttpStatus {
    // The body ended early, with its connection: nothing was asked for, and nobody hears the answer.
    if (request.raw.readableAborted) return HttpStatus.BAD_REQUEST;
    if (isDatabaseUnavailable(error)) return HttpStatus.SERVICE_UNAVAILABLE;
    if (!(error instanceof HttpException)) return HttpStatus.INTERNAL_SERVER_ERROR;
    const allowed = error.getStatus() === HttpStatus.NOT_FOUND ? this.routes.methodsOf(request.url) : [];
    if (allowed.length === 0) return error.getStatus();
    void reply.header('allow', allowed.join(', '));
    return HttpStatus.METHOD_NOT_ALLOWED;
  }

  /** Not the error object itself: a failed query carries its parameters. */
  private log(error: unknown): void {
    const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
    this.logger.error({ fault: { type: name, message, stack } }, 'a request failed');
  }
}
