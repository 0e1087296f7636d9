import { connect } from 'node:net';

export interface RawExchange {
  /** Everything the server sent, as text. */
  readonly text: string;
  /** Status of the first answer; undefined when the server only closed. */
  readonly status: number | undefined;
  /** True when the server ended the connection before we gave up. */
  readonly closedByServer: boolean;
  readonly elapsedMs: number;
}

export interface RawRequest {
  readonly baseUrl: string;
  /** Bytes as they go out, head and body. */
  readonly head: string;
  readonly body?: string | Uint8Array;
  /** Sent one piece a second after the rest, as a slow attacker does. */
  readonly drip?: readonly string[];
  /** When we stop listening. */
  readonly giveUpMs?: number;
}

/** Talks HTTP by hand, to say what no HTTP client would. Ends at the server's close, its first answer, or the deadline. */
export function rawExchange({ baseUrl, head, body, drip = [], giveUpMs = 30_000 }: RawRequest): Promise<RawExchange> {
  const { hostname, port } = new URL(baseUrl);
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    let dripTimer: NodeJS.Timeout | undefined;
    const finish = (closedByServer: boolean) => {
      clearTimeout(deadline);
      clearInterval(dripTimer);
      socket.destroy();
      const text = Buffer.concat(chunks).toString('utf8');
      const status = /^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1];
      resolve({
        text,
        status: status === undefined ? undefined : Number(status),
        closedByServer,
        elapsedMs: performance.now() - started,
      });
    };
    const deadline = setTimeout(() => finish(false), giveUpMs);
    socket.once('connect', () => {
      socket.write(head);
      if (body) socket.write(body);
      const pieces = [...drip];
      if (pieces.length > 0) {
        dripTimer = setInterval(() => {
          const piece = pieces.shift();
          if (piece !== undefined && socket.writable) socket.write(piece);
        }, 1_000);
      }
    });
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (isWhole(Buffer.concat(chunks))) finish(false);
    });
    socket.once('close', () => finish(true));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') reject(error);
      else finish(true);
    });
  });
}

/** Whether an answer has come to its end: one that does not tell its length ends with the connection. */
function isWhole(bytes: Buffer): boolean {
  const headEnd = bytes.indexOf('\r\n\r\n');
  const [, length] =
    /\r\ncontent-length: *(\d+)/i.exec(bytes.subarray(0, Math.max(0, headEnd)).toString('latin1')) ?? [];
  return length !== undefined && bytes.length >= headEnd + 4 + Number(length);
}
