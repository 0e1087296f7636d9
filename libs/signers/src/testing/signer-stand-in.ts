import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Address } from '@paymaster/domain';
import { ecdsaSign, publicKeyCreate, signatureExport } from 'secp256k1';
import { addressOfPublicKey } from '../signer/public-key-address';

/** One misbehaviour of a remote signer, or `ok`. */
export type SignerMode =
  | 'ok'
  | 'http500'
  | 'throttled'
  | 'hang'
  | 'slow'
  | 'trickle'
  | 'closes'
  | 'closesOnce'
  | 'wrongKey'
  | 'wrongDigest'
  | 'highS'
  | 'truncated'
  | 'hugeBody'
  | 'wrongContentType';

export interface StandInRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface StandInAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** The order of secp256k1. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const SLOW_MS = 150;
const WRONG_KEY = Buffer.alloc(32, 0x77);

/** A request that the real API would refuse; the text says why. */
export class BadRequest extends Error {}

/**
 * A stand-in for a remote signer, on loopback: it holds one key, checks requests strictly, and misbehaves as told. Each
 * API is a subclass.
 */
export abstract class SignerStandIn {
  mode: SignerMode = 'ok';
  /** The mistakes in requests; empty when all requests were correct for the real API. */
  readonly problems: string[] = [];
  /** The number of signatures that it has given. */
  signatures = 0;
  requests = 0;
  connections = 0;
  /** Requests a second that it takes before it throttles. */
  quotaPerSecond = Number.POSITIVE_INFINITY;
  private readonly taken: number[] = [];
  private readonly server: Server | TlsServer;

  /** @param tls for https; plain http when absent */
  protected constructor(
    readonly key: Uint8Array,
    private readonly tls?: ServerOptions,
  ) {
    const onRequest = (incoming: IncomingMessage, response: ServerResponse) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const { method = '', url = '', headers } = incoming;
        this.serve({ method, path: url, headers, body: Buffer.concat(chunks) }, response);
      });
    };
    this.server = tls ? createTlsServer(tls, onRequest) : createServer(onRequest);
    // A test may stall for longer than a server usually keeps an idle connection.
    this.server.keepAliveTimeout = 120_000;
    this.server.on('connection', () => (this.connections += 1));
  }

  get address(): Address {
    return addressOfPublicKey(this.publicKey);
  }

  /** 65 bytes, uncompressed. */
  get publicKey(): Uint8Array {
    return publicKeyCreate(this.key, false);
  }

  get url(): string {
    return `${this.tls ? 'https' : 'http'}://127.0.0.1:${this.port}`;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Starts on a free port of loopback, or on the port that it had before. */
  async listen(port = 0): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(port, '127.0.0.1', resolve));
    return this;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** @throws {BadRequest} when the real API would refuse */
  protected abstract answer(request: StandInRequest): StandInAnswer;

  /** How the API says "too many requests". */
  protected abstract throttledAnswer(): StandInAnswer;

  /** `r ++ s`, changed as the mode says. */
  protected signatureOf(digest: Uint8Array): Uint8Array {
    this.signatures += 1;
    const signed = this.mode === 'wrongDigest' ? Uint8Array.from(digest).fill(1, 0, 1) : digest;
    const { signature } = ecdsaSign(signed, this.mode === 'wrongKey' ? WRONG_KEY : this.key);
    return this.mode === 'highS' ? withHighS(signature) : signature;
  }

  /** The same as DER. */
  protected derSignatureOf(digest: Uint8Array): Buffer {
    const signature = this.signatureOf(digest);
    // The library writes low s only.
    const der = this.mode === 'highS' ? derOf(signature) : Buffer.from(signatureExport(signature));
    return this.mode === 'truncated' ? der.subarray(0, -5) : der;
  }

  private serve(request: StandInRequest, response: ServerResponse): void {
    this.requests += 1;
    if (this.mode === 'hang') return;
    if (this.mode === 'closes') return void response.destroy();
    if (this.mode === 'closesOnce') {
      this.mode = 'ok';
      return void response.destroy();
    }
    if (this.mode === 'http500')
      return send(response, { status: 500, contentType: 'text/html', body: '<h1>secret stack trace</h1>' });
    if (this.mode === 'throttled' || this.isAboveQuota()) return send(response, this.throttledAnswer());
    if (this.mode === 'slow') return void setTimeout(() => this.reply(request, response), SLOW_MS);
    this.reply(request, response);
  }

  private isAboveQuota(): boolean {
    const now = performance.now();
    while (this.taken.length > 0 && this.taken[0]! < now - 1_000) this.taken.shift();
    if (this.taken.length >= this.quotaPerSecond) return true;
    this.taken.push(now);
    return false;
  }

  private reply(request: StandInRequest, response: ServerResponse): void {
    const answer = this.checked(request);
    if (this.mode === 'hugeBody') return send(response, { ...answer, body: answer.body.padEnd(2_000_000) });
    if (this.mode === 'wrongContentType')
      return send(response, { status: 200, contentType: 'text/html', body: '<html>It works</html>' });
    if (this.mode !== 'trickle') return send(response, answer);
    response.writeHead(answer.status, { 'content-type': answer.contentType });
    const trickle = setInterval(() => response.write(' '), 20);
    response.once('close', () => clearInterval(trickle));
  }

  private checked(request: StandInRequest): StandInAnswer {
    try {
      return this.answer(request);
    } catch (error) {
      if (!(error instanceof BadRequest)) throw error;
      this.problems.push(error.message);
      return { status: 400, contentType: 'application/json', body: '{}' };
    }
  }
}

/** Throws a {@link BadRequest} unless the condition holds. */
export function expectThat(holds: boolean, problem: string): void {
  if (!holds) throw new BadRequest(problem);
}

function send(response: ServerResponse, { status, contentType, body }: StandInAnswer): void {
  response.writeHead(status, { 'content-type': contentType }).end(body);
}

function withHighS(signature: Uint8Array): Uint8Array {
  const s = ORDER - BigInt(`0x${Buffer.from(signature.subarray(32)).toString('hex')}`);
  return Buffer.concat([signature.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')]);
}

function derOf(signature: Uint8Array): Buffer {
  const integer = (bytes: Uint8Array): Buffer => {
    let digits = Buffer.from(bytes);
    while (digits.length > 1 && digits[0] === 0) digits = digits.subarray(1);
    const padded = digits[0]! >= 0x80 ? Buffer.concat([Buffer.from([0]), digits]) : digits;
    return Buffer.concat([Buffer.from([0x02, padded.length]), padded]);
  };
  const body = Buffer.concat([integer(signature.subarray(0, 32)), integer(signature.subarray(32))]);
  return Buffer.concat([Buffer.from([0x30, body.length]), body]);
}
