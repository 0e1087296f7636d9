import { connect, type Socket } from 'node:net';

/** A reply: HTTP status and body. */
export interface Reply {
  readonly status: number;
  readonly body: string;
}

/** Why there was no reply. */
export class RequestLost extends Error {
  constructor(readonly kind: 'not connected' | 'connection lost' | 'no answer in time') {
    super(kind);
    this.name = 'RequestLost';
  }
}

interface Waiting {
  readonly done: (reply: Reply | RequestLost) => void;
  readonly late: (reply: Reply) => void;
  readonly timer: NodeJS.Timeout;
  isLate: boolean;
}

const HEAD_END = '\r\n\r\n';
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)/i;
const CLOSES = /\r\nconnection: close/i;

/**
 * An HTTP client's connection: prepared bytes, one reply at a time, with a deadline. After a missed one it is used no
 * more, but listens on: what comes too late is told too.
 */
export class ClientConnection {
  private received = '';
  private waiting: Waiting | undefined;
  private usable = true;

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => this.read(chunk));
    // What the other side ends is of no more use, whether in order or not.
    socket.on('end', () => this.fail('connection lost'));
    socket.on('error', () => this.fail('connection lost'));
    socket.on('close', () => this.fail('connection lost'));
  }

  /** @throws {RequestLost} `not connected` */
  static open(port: number, timeoutMs: number): Promise<ClientConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      const timer = setTimeout(() => socket.destroy(new Error('too slow')), timeoutMs);
      socket.once('error', () => {
        clearTimeout(timer);
        reject(new RequestLost('not connected'));
      });
      socket.once('connect', () => {
        clearTimeout(timer);
        socket.removeAllListeners('error');
        resolve(new ClientConnection(socket));
      });
    });
  }

  /** As the other side knows it. */
  get port(): number {
    return this.socket.localPort ?? 0;
  }

  /** Whether it can take another request. */
  get isUsable(): boolean {
    return this.usable && !this.socket.destroyed && !this.waiting;
  }

  /** Whether an answer may still come. */
  get isWaiting(): boolean {
    return this.waiting !== undefined;
  }

  /** Sends a whole request. @param late hears a reply that comes after the deadline */
  send(request: Buffer, { timeoutMs, late }: { timeoutMs: number; late: (reply: Reply) => void }): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const done = (reply: Reply | RequestLost) => (reply instanceof RequestLost ? reject(reply) : resolve(reply));
      if (!this.isUsable) return done(new RequestLost('connection lost'));
      this.waiting = { done, late, isLate: false, timer: setTimeout(() => this.giveUp(), timeoutMs) };
      this.socket.write(request);
    });
  }

  close(): void {
    this.usable = false;
    this.socket.destroy();
  }

  private giveUp(): void {
    if (!this.waiting) return;
    this.usable = false;
    this.waiting.isLate = true;
    this.waiting.done(new RequestLost('no answer in time'));
  }

  private read(chunk: string): void {
    this.received += chunk;
    const headEnd = this.received.indexOf(HEAD_END);
    if (headEnd < 0 || !this.waiting) return;
    const head = this.received.slice(0, headEnd);
    const bodyStart = headEnd + HEAD_END.length;
    const length = Number(CONTENT_LENGTH.exec(head)?.[1] ?? 0);
    if (this.received.length < bodyStart + length) return;
    const reply = { status: Number(head.slice(9, 12)), body: this.received.slice(bodyStart) };
    this.received = '';
    const { waiting } = this;
    this.waiting = undefined;
    clearTimeout(waiting.timer);
    if (CLOSES.test(head)) this.close();
    if (waiting.isLate) waiting.late(reply);
    else waiting.done(reply);
  }

  private fail(kind: RequestLost['kind']): void {
    this.usable = false;
    this.socket.destroy();
    const { waiting } = this;
    this.waiting = undefined;
    if (!waiting) return;
    clearTimeout(waiting.timer);
    if (!waiting.isLate) waiting.done(new RequestLost(kind));
  }
}
