import type { IncomingMessage } from 'node:http';
import type { BodyMemory } from '@paymaster/nest-kit';
import { InvalidRequestError } from './errors';
import { overloaded } from './overloaded';

/** Largest request body; bytes. */
export const BODY_LIMIT_BYTES = 256 * 1024;
/** What a piece of a body takes beside its bytes: a client may send each byte alone. */
const CHUNK_BYTES = 256;

/**
 * The bytes of a body, as they are. As many are taken of `memory`, and stay so until the caller gives them back.
 *
 * @throws {InvalidRequestError} when there are more than {@link BODY_LIMIT_BYTES}, or the client goes away
 * @throws {DependencyUnavailableError} reason OVERLOADED, when `memory` has no room
 */
export function readBody(request: IncomingMessage, memory: BodyMemory): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let taken = 0;
    const giveUp = (error: Error): void => {
      // What still comes is not kept; the answer closes the connection.
      request.removeAllListeners('data').resume();
      chunks.length = 0;
      memory.giveBack(taken);
      taken = 0;
      reject(error);
    };
    if (Number(request.headers['content-length'] ?? 0) > BODY_LIMIT_BYTES) return giveUp(tooLarge());
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > BODY_LIMIT_BYTES) return giveUp(tooLarge());
      if (!memory.take(chunk.length + CHUNK_BYTES)) return giveUp(overloaded());
      taken += chunk.length + CHUNK_BYTES;
      chunks.push(chunk);
    });
    request.on('end', () => {
      // Of one that was given up, the end is still heard, and nothing is taken.
      if (taken > 0) memory.giveBack(taken - bytes);
      taken = 0;
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
    request.on('close', () => {
      // After every request; an error is made, and its stack gathered, only where there is one.
      if (!request.readableEnded) giveUp(new InvalidRequestError('The body ended early.'));
    });
  });
}

function tooLarge(): InvalidRequestError {
  return new InvalidRequestError(`The body is larger than ${BODY_LIMIT_BYTES} bytes.`, 'PAYLOAD_TOO_LARGE');
}
