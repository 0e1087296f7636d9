import { PassThrough } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { InvalidRequestError } from './errors';
import { BODY_LIMIT_BYTES, readBody } from './read-body';

/** A request as far as it is read. */
function aRequest(headers: Record<string, string> = {}): IncomingMessage & PassThrough {
  return Object.assign(new PassThrough(), { headers }) as unknown as IncomingMessage & PassThrough;
}

describe('readBody', () => {
  it('gives the bytes in their order', async () => {
    const request = aRequest();
    const read = readBody(request);
    for (const part of ['ab', 'c', 'def']) request.write(part);
    request.end();
    expect(Buffer.from(await read).toString()).toBe('abcdef');
  });

  it.each([
    ['announced', { 'content-length': String(BODY_LIMIT_BYTES + 1) }, 0],
    ['sent', {}, BODY_LIMIT_BYTES + 1],
  ])('refuses more than the limit, %s', async (_title, headers, bytes) => {
    const request = aRequest(headers);
    const read = readBody(request);
    request.write(Buffer.alloc(bytes));
    await expect(read).rejects.toMatchObject({ reason: 'PAYLOAD_TOO_LARGE' });
  });

  it('ends when the client goes away in between', async () => {
    const request = aRequest();
    const read = readBody(request);
    request.write('{"jsonrpc"');
    request.destroy();
    await expect(read).rejects.toThrow(InvalidRequestError);
  });

  it('ends when the client goes away after its last byte, before that is read', async () => {
    const request = Object.assign(aRequest(), { complete: true });
    request.end('{}');
    request.destroy();
    await expect(readBody(request)).rejects.toThrow(InvalidRequestError);
  });
});
