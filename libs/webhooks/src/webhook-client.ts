import { lookup } from 'node:dns/promises';
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { hostResolver, type ResolvedAddress } from './host-resolver';
import { isLoopback, isPublicAddress } from './public-address';
import { WebhookError } from './webhook-error';
import { webhookSecret } from './webhook-secret';
import { webhookSignature } from './webhook-signature';
import { parseWebhookUrl } from './webhook-url';

const MAX_ANSWER_BYTES = 64 * 1_024;

export interface WebhookClientOptions {
  /** 32 bytes; every webhook's secret is derived from it. */
  readonly signingKey: Uint8Array;
  /** The local world: http, loopback and any port. Never in production. */
  readonly allowInsecure: boolean;
  /** All addresses of a host; default: the name servers', and in the local world what the system says. */
  readonly resolve?: (host: string) => Promise<readonly ResolvedAddress[]>;
  /** Unix seconds. */
  readonly nowSeconds?: () => number;
  /** PEM of the only authority to trust; default: the usual ones. */
  readonly ca?: string;
}

/** One signed request. */
export interface WebhookRequest {
  readonly webhookId: string;
  /** Secrets in force, newest first; the request is signed with each. None: it is not signed, and has no `webhook-` headers. */
  readonly secretVersions: readonly number[];
  readonly url: string;
  readonly method: 'GET' | 'POST';
  /** Put into the URL's query, for a GET. How long it may be is for who asks to say: the URL alone is judged here. */
  readonly query?: Readonly<Record<string, string>>;
  /** Stays the same when a message is sent again. */
  readonly messageId: string;
  /** JSON text; empty for GET. */
  readonly body: string;
  /** For everything from the name's resolution to the answer's last byte. */
  readonly timeoutMs: number;
  /** The W3C header, so that the server can go on with the trace; it says nothing but two random ids. */
  readonly traceparent?: string | undefined;
}

/** What the server said, whatever its status. */
export interface WebhookAnswer {
  readonly status: number;
  readonly body: string;
  /** The header Retry-After in seconds, where it has that form. */
  readonly retryAfterSeconds?: number;
}

/** Sends signed requests to servers that strangers name, and to nothing but the public internet. */
export class WebhookClient {
  private readonly resolve: (host: string) => Promise<readonly ResolvedAddress[]>;
  private readonly nowSeconds: () => number;

  constructor(private readonly options: WebhookClientOptions) {
    this.resolve = options.resolve ?? (options.allowInsecure ? systemLookup : hostResolver());
    this.nowSeconds = options.nowSeconds ?? (() => Math.floor(Date.now() / 1_000));
  }

  /**
   * @throws {WebhookError} FORBIDDEN_TARGET before a packet is sent; UNREACHABLE, TIMEOUT; BAD_ANSWER when it is too
   *   big or breaks off. Redirects are answers, nobody follows them.
   */
  async send(request: WebhookRequest): Promise<WebhookAnswer> {
    const url = parseWebhookUrl(request.url, this.options);
    for (const [name, value] of Object.entries(request.query ?? {})) url.searchParams.set(name, value);
    const deadline = AbortSignal.timeout(request.timeoutMs);
    try {
      const target = await withinDeadline(this.addressOf(url), deadline);
      return await this.exchange({ request, url, target, deadline });
    } catch (error) {
      throw asWebhookError(error, deadline);
    }
  }

  /** One address of the host, and only if all of them are public: a name that mixes both is an attack or a mistake. */
  private async addressOf(url: URL): Promise<ResolvedAddress> {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const family = isIP(host);
    const addresses = family === 0 ? await this.resolve(host) : [{ address: host, family }];
    const [first] = addresses;
    if (!first) throw new WebhookError('UNREACHABLE', "the webhook's host has no address");
    const { allowInsecure } = this.options;
    if (!addresses.every(({ address }) => isPublicAddress(address) || (allowInsecure && isLoopback(address)))) {
      throw new WebhookError('FORBIDDEN_TARGET', "the webhook's host has an address outside the public internet");
    }
    return first;
  }

  private exchange(exchange: {
    request: WebhookRequest;
    url: URL;
    target: ResolvedAddress;
    deadline: AbortSignal;
  }): Promise<WebhookAnswer> {
    const { request, url, target, deadline } = exchange;
    const options: RequestOptions & { ca?: string } = {
      method: request.method,
      headers: this.headersOf(request, url),
      signal: deadline,
      // One connection per request: a pooled one could lead to an address that was checked long ago.
      agent: false,
      // The connection goes where the check looked; TLS still proves the name.
      lookup: (_host, { all }, done) => {
        if (all) (done as unknown as (error: null, all: ResolvedAddress[]) => void)(null, [target]);
        else done(null, target.address, target.family);
      },
      ...(this.options.ca !== undefined && { ca: this.options.ca }),
    };
    return new Promise((resolve, reject) => {
      const outgoing = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options, (incoming) => {
        readAnswer(incoming).then(resolve, reject);
      });
      outgoing.once('error', reject);
      outgoing.end(request.body);
    });
  }

  private headersOf(request: WebhookRequest, url: URL): Record<string, string> {
    const { secretVersions, body, traceparent } = request;
    return {
      'user-agent': 'paymaster-webhooks',
      accept: 'application/json',
      'accept-encoding': 'identity',
      ...(secretVersions.length > 0 && this.signatureOf(request, url)),
      ...(traceparent !== undefined && { traceparent }),
      ...(request.method === 'POST' && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body).toString(),
      }),
    };
  }

  private signatureOf(request: WebhookRequest, url: URL): Record<string, string> {
    const { webhookId, secretVersions, messageId: id } = request;
    const { signingKey } = this.options;
    const timestampSeconds = this.nowSeconds();
    const secrets = secretVersions.map((version) => webhookSecret({ signingKey, webhookId, version }));
    const body = signedText(request, url);
    return {
      'webhook-id': id,
      'webhook-timestamp': timestampSeconds.toString(),
      'webhook-signature': webhookSignature({ id, timestampSeconds, body }, secrets),
    };
  }
}

/** The local world has names that no name server knows. */
function systemLookup(host: string): Promise<readonly ResolvedAddress[]> {
  return lookup(host, { all: true });
}

/** A GET has no body: its path and query are what it says. */
function signedText({ method, body }: WebhookRequest, url: URL): string {
  return method === 'GET' ? url.pathname + url.search : body;
}

async function readAnswer(incoming: IncomingMessage): Promise<WebhookAnswer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) {
      incoming.destroy();
      throw new WebhookError('BAD_ANSWER', `the webhook answered more than ${MAX_ANSWER_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  const wait = /^\d{1,9}$/.exec(incoming.headers['retry-after'] ?? '')?.[0];
  return {
    ...{ status: incoming.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') },
    ...(wait !== undefined && { retryAfterSeconds: Number(wait) }),
  };
}

/** A resolver cannot be cancelled, but nobody has to wait for it. */
function withinDeadline<T>(work: Promise<T>, deadline: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    deadline.addEventListener('abort', () => reject(deadline.reason as Error), { once: true });
    work.then(resolve, reject);
  });
}

function asWebhookError(error: unknown, deadline: AbortSignal): WebhookError {
  if (error instanceof WebhookError) return error;
  if (deadline.aborted) return new WebhookError('TIMEOUT', 'the webhook did not answer in time', { cause: error });
  const answered = (error as NodeJS.ErrnoException).code?.startsWith('HPE_') === true;
  return new WebhookError(
    answered ? 'BAD_ANSWER' : 'UNREACHABLE',
    answered ? 'the webhook did not answer in HTTP' : 'the webhook cannot be reached',
    { cause: error },
  );
}
