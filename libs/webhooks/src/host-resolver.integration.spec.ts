import { createSocket, type Socket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { hostResolver } from './host-resolver';
import { WebhookClient } from './webhook-client';

const TYPE_A = 1;
/** For one attempt: longer than a machine stands still. */
const UNHURRIED_MS = 20_000;

let server: Socket;
let servers: string[];
let questions: number;
beforeEach(async () => {
  questions = 0;
  server = createSocket('udp4').bind(0, '127.0.0.1');
  await once(server, 'listening');
  servers = [`127.0.0.1:${(server.address() as AddressInfo).port}`];
});
afterEach(() => new Promise<void>((done) => server.close(() => done())));

/** Answers with these IPv4 addresses and no IPv6 ones; without any, never. */
function answerWith(...addresses: readonly string[]): void {
  server.on('message', (question, { port, address }) => {
    questions++;
    if (addresses.length > 0) server.send(dnsAnswer(question, addresses), port, address);
  });
}

/** RFC 1035: the question, and one record for each address if it asks for such. */
function dnsAnswer(question: Buffer, addresses: readonly string[]): Buffer {
  const nameEnd = question.indexOf(0, 12);
  const asked = question.subarray(12, nameEnd + 5);
  const listed = question.readUInt16BE(nameEnd + 1) === TYPE_A ? addresses : [];
  const head = Buffer.from([0x81, 0x80, 0, 1, 0, listed.length, 0, 0, 0, 0]);
  const records = listed.map((address) =>
    Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split('.').map(Number)]),
  );
  return Buffer.concat([question.subarray(0, 2), head, asked, ...records]);
}

describe('hostResolver', () => {
  it('finds every address of a host', async () => {
    answerWith('1.1.1.1', '8.8.8.8');
    expect(await hostResolver({ servers, timeoutMs: UNHURRIED_MS })('hooks.example.org')).toEqual([
      { address: '1.1.1.1', family: 4 },
      { address: '8.8.8.8', family: 4 },
    ]);
  });

  it('lets the guard refuse a public name with a private address', async () => {
    answerWith('8.8.8.8', '10.0.0.1');
    const client = new WebhookClient({
      ...{ signingKey: new Uint8Array(32), allowInsecure: false },
      resolve: hostResolver({ servers, timeoutMs: UNHURRIED_MS }),
    });
    await expect(client.send(request)).rejects.toMatchObject({ fault: 'FORBIDDEN_TARGET' });
  });

  it('costs nobody else a lookup while the name servers of strangers are silent', async () => {
    answerWith();
    const resolve = hostResolver({ servers, timeoutMs: 3_000 });
    let answered = 0;
    const hanging = Array.from({ length: 64 }, (_, index) =>
      resolve(`h${index}.example.org`)
        .catch(({ code }: NodeJS.ErrnoException) => code)
        .finally(() => (answered += 1)),
    );
    await lookup('localhost');
    expect(answered).toBe(0);
    expect(new Set(await Promise.all(hanging))).toEqual(new Set(['ETIMEOUT']));
    expect(questions).toBeGreaterThanOrEqual(128);
  });
});

const request = {
  ...{ webhookId: 'hook', secretVersions: [1], url: 'https://hooks.example.org', method: 'POST' as const },
  ...{ messageId: 'm', body: '{}', timeoutMs: 60_000 },
};
