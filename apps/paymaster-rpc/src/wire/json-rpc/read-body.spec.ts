import { PassThrough } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { BodyMemory } from '@paymaster/nest-kit';
import { InvalidRequestError } from '../../platform/errors/rpc-errors';
import { BODY_LIMIT_BYTES, readBody } from './read-body';

/** The part of a request that the code under test reads. */
function aRequest(headers: Record<string, string> = {}): IncomingMessage & PassThrough {
  return Object.assign(new PassThrough(), { headers }) as unknown as IncomingMessage & PassThrough;
}

describe('readBody', () => {
  let memory: BodyMemory;
  beforeEach(() => (memory = new BodyMemory(2 * BODY_LIMIT_BYTES)));
  /** Whether this many bytes are free (by default all) without giving up bodies that are still arriving. */
  const isFree = (bytes = 2 * BODY_LIMIT_BYTES): boolean => memory.take({ bytes: 0, giveUp: () => undefined }, bytes);

  it('gives the bytes in their order', async () => {
    const request = aRequest();
    const read = readBody(request, memory);
    for (const part of ['ab', 'c', 'def']) request.write(part);
    request.end();
    expect(Buffer.from((await read).bytes).toString()).toBe('abcdef');
  });

  it('counts the bytes of the body in memory until the caller ends them', async () => {
    const request = aRequest();
    const read = readBody(request, memory);
    for (const part of ['ab', 'c', 'def']) request.write(part);
    request.end();
    const { kept } = await read;
    expect(isFree(2 * BODY_LIMIT_BYTES - 5)).toBe(false);
    memory.end(kept);
    expect(isFree()).toBe(true);
  });

  it('refuses a body as overloaded when others need its memory first, and keeps nothing of it', async () => {
    const [slow, quick] = [aRequest(), aRequest()];
    const reads = [slow, quick].map((request) => readBody(request, memory));
    slow.write(Buffer.alloc(BODY_LIMIT_BYTES - 1));
    quick.end(Buffer.alloc(BODY_LIMIT_BYTES));
    await expect(reads[0]).rejects.toMatchObject({ reason: 'OVERLOADED' });
    expect((await reads[1])?.bytes).toHaveLength(BODY_LIMIT_BYTES);
    slow.end();
    await new Promise((resolve) => slow.once('close', resolve));
    expect(isFree(BODY_LIMIT_BYTES)).toBe(true);
  });

  it('refuses a body as overloaded when complete bodies leave no memory for it', async () => {
    const [first, second] = [aRequest(), aRequest()];
    const reads = [first, second].map((request) => readBody(request, memory));
    first.end(Buffer.alloc(BODY_LIMIT_BYTES));
    await reads[0];
    second.end(Buffer.alloc(BODY_LIMIT_BYTES));
    await expect(reads[1]).rejects.toMatchObject({ reason: 'OVERLOADED' });
    expect(isFree(BODY_LIMIT_BYTES)).toBe(true);
  });

  it('counts more than the bytes of a body that comes byte by byte', async () => {
    memory = new BodyMemory(1_000);
    const request = aRequest();
    const read = readBody(request, memory);
    for (let at = 0; at < 10; at++) request.write('a');
    await expect(read).rejects.toMatchObject({ reason: 'OVERLOADED' });
    expect(isFree(1_000)).toBe(true);
  });

  it.each([
    ['announced', { 'content-length': String(BODY_LIMIT_BYTES + 1) }, 0],
    ['sent', {}, BODY_LIMIT_BYTES + 1],
  ])('refuses more than the limit, %s', async (_title, headers, bytes) => {
    const request = aRequest(headers);
    const read = readBody(request, memory);
    request.write(Buffer.alloc(bytes));
    await expect(read).rejects.toMatchObject({ reason: 'PAYLOAD_TOO_LARGE' });
    expect(isFree()).toBe(true);
  });

  it('ends when the client disconnects in between', async () => {
    const request = aRequest();
    const read = readBody(request, memory);
    request.write('{"jsonrpc"');
    request.destroy();
    await expect(read).rejects.toThrow(InvalidRequestError);
    expect(isFree()).toBe(true);
  });

  it('ends when the client disconnects after its last byte, before that byte is read', async () => {
    const request = Object.assign(aRequest(), { complete: true });
    request.end('{}');
    request.destroy();
    await expect(readBody(request, memory)).rejects.toThrow(InvalidRequestError);
  });
});
