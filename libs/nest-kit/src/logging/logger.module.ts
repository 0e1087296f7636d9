import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DynamicModule } from '@nestjs/common';
import { LoggerModule } from 'nestjs-pino';
import { destination, type DestinationStream } from 'pino';
import { REQUEST_ID_HEADER } from '@paymaster/messaging';
import { REDACTED_PATHS, redactUrl } from './redaction';
import { requestIdFrom } from './request-id';

export interface LoggerOptions {
  readonly service: string;
  /** A pino level; `silent` for tests. */
  readonly level: string;
  /** Requests to these paths, and to paths below them, are not logged one by one. Default: the paths of probes. */
  readonly quietPaths?: readonly string[];
  /**
   * False: requests to Nest's own routes write no log line and have no logger of their own. Those need an
   * `AsyncLocalStorage`, and from its first use on, Node calls a hook for every promise of the process: a tenth of the
   * cost of a sponsored request.
   */
  readonly perRequest?: boolean;
  /** True: lines are written in groups, at most {@link FLUSH_MS} later. For an app with a line per request. */
  readonly buffered?: boolean;
}

/** How long a line may wait for others; a killed process loses these lines. Milliseconds. */
const FLUSH_MS = 100;
/** Lines are written as soon as there are this many bytes, because each write runs in another thread. */
const GROUP_BYTES = 65_536;

/** The words of all routes of this process; {@link recordRouteWords} adds them. */
const routeWords = new Set<string>();

/** From now on the words of this route may be logged: `/api/:id/keys` has the words `api` and `keys`. */
export function recordRouteWords(path: string): void {
  for (const word of path.split('/')) if (/^[\w-]+$/.test(word)) routeWords.add(word);
}

/** Structured logs: one line per request, request id on each, secrets redacted, expected refusals as information. */
export function loggerModule(options: LoggerOptions): DynamicModule {
  const { service, level, quietPaths = ['/health'], perRequest = true, buffered = false } = options;
  return LoggerModule.forRoot({
    ...(!perRequest && { forRoutes: [] }),
    pinoHttp: {
      ...(buffered && { stream: (groupingStdout ??= bufferedStdout()) }),
      level,
      base: { service },
      redact: { paths: [...REDACTED_PATHS], censor: '[redacted]' },
      genReqId: (request: IncomingMessage, response: ServerResponse) => {
        const id = requestIdFrom(request.headers[REQUEST_ID_HEADER]);
        response.setHeader(REQUEST_ID_HEADER, id);
        return id;
      },
      autoLogging: { ignore: (request) => isAt(request, quietPaths) },
      customLogLevel: (_request, response, error) => (error || response.statusCode >= 500 ? 'error' : 'info'),
      serializers: {
        req: (request: { id: string; method: string; url: string }) => ({
          id: request.id,
          method: request.method,
          url: redactUrl(request.url, routeWords),
        }),
        res: (response: { statusCode: number }) => ({ statusCode: response.statusCode }),
      },
    },
  });
}

/** One for all apps of a process. */
let groupingStdout: DestinationStream | undefined;

/**
 * Collects lines and hands them to the stream in groups. The stream could wait for a group by itself, but it would copy
 * and count all waiting bytes at every line.
 */
function bufferedStdout(): DestinationStream {
  const stdout = destination({ sync: false, minLength: GROUP_BYTES, maxWrite: 2 * GROUP_BYTES });
  let group = '';
  const handOn = (): void => {
    if (group !== '') stdout.write(group);
    group = '';
  };
  setInterval(() => {
    handOn();
    stdout.flush();
  }, FLUSH_MS).unref();
  // Comes before the stream's own listener, which writes what the stream has.
  process.prependListener('exit', handOn);
  return {
    write(line) {
      group += line;
      if (group.length >= GROUP_BYTES) handOn();
    },
  };
}

/** Whether the request is to one of the paths. In middleware the path has lost the prefix at which it is mounted. */
function isAt(request: IncomingMessage & { originalUrl?: string }, paths: readonly string[]): boolean {
  const [path = ''] = (request.originalUrl ?? request.url ?? '').split('?', 1);
  return paths.some((quiet) => path === quiet || path.startsWith(`${quiet}/`));
}
