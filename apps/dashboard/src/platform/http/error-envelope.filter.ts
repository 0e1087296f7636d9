import { Catch, HttpException, HttpStatus, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseUnavailable } from '../database/database-unavailable';
import { DashboardError } from './dashboard-errors';
import { errorRowOf } from './error-table';
import { isToInterfaceRow } from './interface-row';
import { KnownRoutes } from './known-routes';
import { toRefusalView, type RefusalView } from './refusal.view';

type Refusal = Pick<RefusalView, 'message' | 'reason'>;

/** Sentences for refusals of the framework. Its other messages are about the request, so clients may see them. */
export const FRAMEWORK_REFUSALS: Readonly<Record<number, Refusal>> = {
  [HttpStatus.NOT_FOUND]: { message: 'Not found', reason: 'NOT_FOUND' },
  [HttpStatus.METHOD_NOT_ALLOWED]: { message: 'Method not allowed', reason: 'HTTP_METHOD_NOT_ALLOWED' },
  [HttpStatus.PAYLOAD_TOO_LARGE]: { message: 'The body is too large', reason: 'PAYLOAD_TOO_LARGE' },
  [HttpStatus.UNSUPPORTED_MEDIA_TYPE]: {
    message: 'The content type must be application/json',
    reason: 'UNSUPPORTED_MEDIA_TYPE',
  },
  [HttpStatus.SERVICE_UNAVAILABLE]: {
    message: 'The service is temporarily unavailable',
    reason: 'DEPENDENCY_UNAVAILABLE',
  },
  [HttpStatus.INTERNAL_SERVER_ERROR]: { message: 'Internal server error', reason: 'INTERNAL_ERROR' },
};
/** For all other statuses. */
export const INVALID_REQUEST = 'INVALID_REQUEST';

const RETRY_AFTER_SECONDS = 2;

/**
 * Answers every error, ours or the framework's, with the envelope and never with a stack trace. On routes that are not
 * in the interface document, the answer also has `reason` and `requestId`.
 */
@Catch()
export class ErrorEnvelopeFilter implements ExceptionFilter {
  private readonly logger = new Logger('Http');

  constructor(private readonly routes: KnownRoutes) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const row = errorRowOf(error);
    const isInterfaceRow = isToInterfaceRow(request);
    const send = (status: HttpStatus, statusCode: HttpStatus, { message, reason }: Refusal): void => {
      const body = toRefusalView({ statusCode, message, reason, requestId: request.id }, { isInterfaceRow });
      void reply.status(status).send(body);
    };
    if (row) {
      if (error instanceof DashboardError && 'retryAfterSeconds' in error)
        void reply.header('retry-after', error.retryAfterSeconds);
      send(row.httpStatus, row.bodyStatusCode, error as DashboardError);
      return;
    }
    const status = this.statusOf(error, request, reply);
    if (status >= HttpStatus.INTERNAL_SERVER_ERROR) this.log(error);
    if (status === HttpStatus.SERVICE_UNAVAILABLE) void reply.header('retry-after', RETRY_AFTER_SECONDS);
    const message = error instanceof HttpException ? error.message : 'Bad request';
    send(status, status, FRAMEWORK_REFUSALS[status] ?? { message, reason: INVALID_REQUEST });
  }

  private statusOf(error: unknown, request: FastifyRequest, reply: FastifyReply): HttpStatus {
    // The connection closed before the body was complete: there is no request to answer, and no client to read an
    // answer.
    if (request.raw.readableAborted) return HttpStatus.BAD_REQUEST;
    if (isDatabaseUnavailable(error)) return HttpStatus.SERVICE_UNAVAILABLE;
    if (!(error instanceof HttpException)) return HttpStatus.INTERNAL_SERVER_ERROR;
    const allowed = error.getStatus() === HttpStatus.NOT_FOUND ? this.routes.methodsOf(request.url) : [];
    if (allowed.length === 0) return error.getStatus();
    void reply.header('allow', allowed.join(', '));
    return HttpStatus.METHOD_NOT_ALLOWED;
  }

  /** Do not log the error object itself: that of a failed query contains the query's parameters. */
  private log(error: unknown): void {
    const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
    this.logger.error({ fault: { type: name, message, stack } }, 'a request failed');
  }
}
