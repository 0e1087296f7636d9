import type { IncomingMessage } from 'node:http';
import type { BodyMemory, KeptBody } from '@paymaster/nest-kit';
import { InvalidRequestError } from '../../platform/errors/rpc-errors';
import { overloaded } from '../../platform/errors/overloaded';

/** Largest request body; bytes. */
export const BODY_LIMIT_BYTES = 256 * 1024;
/**
 * The most bytes of bodies that a process keeps at once: 250 of the largest bodies. With the objects made from them,
 * they fit into a pod's limit beside everything else (docs/operations/capacity.md).
 */
export const MOST_BODY_BYTES = 64 * 2 ** 20;
/** The overhead of each chunk of a body in memory. It counts because a client may send every byte alone. */
const CHUNK_BYTES = 256;

/** The bytes of a body, and their entry in the memory count, which the caller has to end. */
export interface ReadBody {
  readonly bytes: Uint8Array;
  readonly kept: KeptBody;
}

/**
 * Reads a body and counts its bytes in `memory`.
 *
 * @throws {InvalidRequestError} when there are more than {@link BODY_LIMIT_BYTES}, or the client goes away
 * @throws {DependencyUnavailableError} reason OVERLOADED, when `memory` has no room, or others need it first
 */
export function readBody(request: IncomingMessage, memory: BodyMemory): Promise<ReadBody> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const giveUp = (error: Error): void => {
      // Bytes that still arrive are dropped; the answer closes the connection.
      request.removeAllListeners('data').resume();
      chunks.length = 0;
      memory.end(kept);
      reject(error);
    };
    const kept: KeptBody = { bytes: 0, giveUp: () => giveUp(overloaded()) };
    if (Number(request.headers['content-length'] ?? 0) > BODY_LIMIT_BYTES) return giveUp(tooLarge());
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > BODY_LIMIT_BYTES) return giveUp(tooLarge());
      if (!memory.take(kept, chunk.length + CHUNK_BYTES)) return giveUp(overloaded());
      chunks.push(chunk);
    });
    request.on('end', () => {
      // This event also comes for a body that was given up; nothing of it is kept.
      if (chunks.length > 0) memory.complete(kept, length);
      else memory.end(kept);
      resolve({ bytes: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks), kept });
    });
    request.on('close', () => {
      // This event comes after every request. Creating an error collects its stack, so it is created only if the body
      // really ended early.
      if (!request.readableEnded) giveUp(new InvalidRequestError('The body ended early.'));
    });
  });
}

function tooLarge(): InvalidRequestError {
  return new InvalidRequestError(`The body is larger than ${BODY_LIMIT_BYTES} bytes.`, 'PAYLOAD_TOO_LARGE');
}
