import { PassThrough } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { BodyMemory } from '@paymaster/nest-kit';
import { InvalidRequestError } from './errors';
import { BODY_LIMIT_BYTES, readBody } from './read-body';

/** A request as far as it is read. */
function aRequest(headers: Record<string, string> = {}): IncomingMessage & PassThrough {
  return Object.assign(new PassThrough(), { headers }) as unknown as IncomingMessage & PassThrough;
}

describe('readBody', () => {
  let memory: BodyMemory;
  beforeEach(() => (memory = new BodyMemory(2 * BODY_LIMIT_BYTES)));
  /** Nothing is taken: all of it can be. */
  const isFree = (): boolean => memory.take(2 * BODY_LIMIT_BYTES);

  it('gives the bytes in their order', async () => {
    const request = aRequest();
    const read = readBody(request, memory);
    for (const part of ['ab', 'c', 'def']) request.write(part);
    request.end();
    expect(Buffer.from(await read).toString()).toBe('abcdef');
  });

  it('keeps of memory what the body has, until it is given back', async () => {
    const request = aRequest();
    const read = readBody(request, memory);
    for (const part of ['ab', 'c', 'def']) request.write(part);
    request.end();
    await read;
    expect(memory.take(2 * BODY_LIMIT_BYTES - 5)).toBe(false);
    memory.giveBack(6);
    expect(isFree()).toBe(true);
  });

  it('refuses as overloaded what there is no memory for, and keeps nothing of it', async () => {
    const [first, second] = [aRequest(), aRequest()];
    const reads = [first, second].map((request) => readBody(request, memory));
    first.write(Buffer.alloc(BODY_LIMIT_BYTES));
    second.write(Buffer.alloc(BODY_LIMIT_BYTES - 300));
    second.write('more');
    await expect(reads[1]).rejects.toMatchObject({ reason: 'OVERLOADED' });
    second.end();
    await new Promise((resolve) => second.once('close', resolve));
    expect(memory.take(BODY_LIMIT_BYTES - 256)).toBe(true);
  });

  it('counts more than the bytes of a body that comes byte by byte', async () => {
    memory = new BodyMemory(1_000);
    const request = aRequest();
    const read = readBody(request, memory);
    for (let at = 0; at < 10; at++) request.write('a');
    await expect(read).rejects.toMatchObject({ reason: 'OVERLOADED' });
    expect(memory.take(1_000)).toBe(true);
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

  it('ends when the client goes away in between', async () => {
    const request = aRequest();
    const read = readBody(request, memory);
    request.write('{"jsonrpc"');
    request.destroy();
    await expect(read).rejects.toThrow(InvalidRequestError);
    expect(isFree()).toBe(true);
  });

  it('ends when the client goes away after its last byte, before that is read', async () => {
    const request = Object.assign(aRequest(), { complete: true });
    request.end('{}');
    request.destroy();
    await expect(readBody(request, memory)).rejects.toThrow(InvalidRequestError);
  });
});
