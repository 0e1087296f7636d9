import { connect, type Socket } from 'node:net';

/** A reply: HTTP status and body. */
export interface Reply {
  readonly status: number;
  readonly body: string;
}

const HEAD_END = '\r\n\r\n';
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)/i;

/**
 * One keep-alive connection that sends prepared bytes and reads one reply at a time. Much leaner than an HTTP
 * client, so that the generator never is what is measured.
 */
export class HttpConnection {
  private received = '';
  private waiting: ((reply: Reply | Error) => void) | undefined;

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => this.read(chunk));
    socket.on('close', () => this.settle(new Error('the server closed the connection')));
    socket.on('error', (error) => this.settle(error));
  }

  static open(port: number): Promise<HttpConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1' }, () => resolve(new HttpConnection(socket)));
      socket.once('error', reject);
    });
  }

  get busy(): boolean {
    return this.waiting !== undefined;
  }

  /** Sends a whole request; `done` hears the reply. */
  send(request: Buffer, done: (reply: Reply | Error) => void): void {
    if (this.socket.destroyed) return done(new Error('the server closed the connection'));
    this.waiting = done;
    this.socket.write(request);
  }

  close(): void {
    this.socket.destroy();
  }

  private read(chunk: string): void {
    this.received += chunk;
    const headEnd = this.received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const length = CONTENT_LENGTH.exec(this.received.slice(0, headEnd))?.[1];
    const bodyStart = headEnd + HEAD_END.length;
    if (length === undefined) return this.settle(new Error('a reply without content-length'));
    if (this.received.length < bodyStart + Number(length)) return;
    const reply = { status: Number(this.received.slice(9, 12)), body: this.received.slice(bodyStart) };
    this.received = '';
    this.settle(reply);
  }

  private settle(reply: Reply | Error): void {
    const { waiting } = this;
    this.waiting = undefined;
    waiting?.(reply);
  }
}

/** The bytes of a POST that keeps the connection. */
export function postRequest(path: string, body: string): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    'accept: application/json',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join('\r\n')}${HEAD_END}${body}`);
}
