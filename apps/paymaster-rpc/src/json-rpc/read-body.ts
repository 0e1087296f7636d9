import type { IncomingMessage } from 'node:http';
import { InvalidRequestError } from './errors';

/** Largest request body; bytes. */
export const BODY_LIMIT_BYTES = 256 * 1024;

/**
 * The bytes of a body, as they are.
 *
 * @throws {InvalidRequestError} when there are more than {@link BODY_LIMIT_BYTES}, or the client goes away
 */
export function readBody(request: IncomingMessage): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const tooLarge = (): void => {
      // What still comes is not kept; the answer closes the connection.
      request.removeAllListeners('data').resume();
      reject(new InvalidRequestError(`The body is larger than ${BODY_LIMIT_BYTES} bytes.`, 'PAYLOAD_TOO_LARGE'));
    };
    if (Number(request.headers['content-length'] ?? 0) > BODY_LIMIT_BYTES) return tooLarge();
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > BODY_LIMIT_BYTES) return tooLarge();
      chunks.push(chunk);
    });
    request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.on('close', () => {
      // After every request; an error is made, and its stack gathered, only where there is one.
      if (!request.readableEnded) reject(new InvalidRequestError('The body ended early.'));
    });
  });
}
