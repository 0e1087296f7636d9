import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { answers, WebhookReceiver } from './testing';
import type { ResolvedAddress } from './host-resolver';
import { WebhookClient } from './webhook-client';
import { webhookSecret } from './webhook-secret';
import { isWebhookSignature } from './webhook-signature';

/** Nobody listens there. */
const CLOSED_PORT = 1;
const NOW_SECONDS = 1_700_000_000;
const signingKey = new Uint8Array(32).fill(1);
const request = {
  webhookId: 'hook',
  secretVersions: [2, 1],
  method: 'POST' as const,
  messageId: 'msg_1',
  body: '{"data":{}}',
  timeoutMs: 60_000,
};
const failure = (fault: string) => expect.objectContaining({ name: 'WebhookError', fault });

describe('WebhookClient', () => {
  let receiver: WebhookReceiver;
  let closers: Array<() => Promise<unknown>>;
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    closers = [() => receiver.stop()];
  });
  afterEach(async () => {
    for (const close of closers) await close();
  });

  const local = () => new WebhookClient({ signingKey, allowInsecure: true, nowSeconds: () => NOW_SECONDS });

  it('sends what the receiver can check with either secret in force', async () => {
    await expect(local().send({ ...request, url: receiver.url })).resolves.toEqual({
      status: 200,
      body: '{"arePoliciesVerified":true}',
    });
    const [got] = receiver.requests;
    expect(got).toMatchObject({ method: 'POST', body: request.body });
    const header = (name: string) => String(got?.headers[name]);
    const message = {
      id: header('webhook-id'),
      timestampSeconds: Number(header('webhook-timestamp')),
      body: request.body,
    };
    expect(message.timestampSeconds).toBe(NOW_SECONDS);
    for (const version of [1, 2]) {
      const secret = webhookSecret({ signingKey, webhookId: 'hook', version });
      expect(isWebhookSignature(header('webhook-signature'), message, [secret])).toBe(true);
    }
  });

  it('signs path and query of a GET', async () => {
    await local().send({ ...request, method: 'GET', body: '', url: `${receiver.url}/ask?data=%7B%7D` });
    const [got] = receiver.requests;
    const message = {
      id: 'msg_1',
      timestampSeconds: Number(got?.headers['webhook-timestamp']),
      body: '/ask?data=%7B%7D',
    };
    const secret = webhookSecret({ signingKey, webhookId: 'hook', version: 2 });
    expect(isWebhookSignature(String(got?.headers['webhook-signature']), message, [secret])).toBe(true);
  });

  it('connects to the address that was checked, and asks nobody for the name again', async () => {
    const resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
    const client = new WebhookClient({ signingKey, allowInsecure: true, resolve });
    const url = receiver.url.replace('127.0.0.1', 'nobody-knows-this-name.invalid');
    await expect(client.send({ ...request, url })).resolves.toMatchObject({ status: 200 });
  });

  it('hands on a redirect instead of following it', async () => {
    const canary = await WebhookReceiver.start();
    closers.push(() => canary.stop());
    receiver.behaviour = (response) => response.writeHead(302, { location: canary.url }).end();
    await expect(local().send({ ...request, url: receiver.url })).resolves.toMatchObject({ status: 302 });
    expect(canary.connections).toBe(0);
  });

  it.each<[string, (response: import('node:http').ServerResponse) => void]>([
    ['never answers', () => undefined],
    ['sends headers and then nothing', (response) => void response.writeHead(200).write('{')],
  ])('gives up at the deadline on a receiver that %s', async (_what, behaviour) => {
    receiver.behaviour = behaviour;
    const started = Date.now();
    await expect(local().send({ ...request, url: receiver.url, timeoutMs: 300 })).rejects.toEqual(failure('TIMEOUT'));
    // The receiver would keep it for ever.
    expect(Date.now() - started).toBeLessThan(30_000);
  });

  it('gives up at the deadline on a resolver that never answers', async () => {
    const resolve = () => new Promise<never>(() => undefined);
    const client = new WebhookClient({ signingKey, allowInsecure: false, resolve });
    const sent = client.send({ ...request, url: 'https://hooks.example.org/', timeoutMs: 100 });
    await expect(sent).rejects.toEqual(failure('TIMEOUT'));
  });

  it('reads no more than it needs of a big answer', async () => {
    receiver.behaviour = answers(200, { filler: 'x'.repeat(10 * 1_024 * 1_024) });
    await expect(local().send({ ...request, url: receiver.url })).rejects.toEqual(failure('BAD_ANSWER'));
  });

  it('says that a receiver which speaks no HTTP answered badly', async () => {
    const sockets = new Set<Socket>();
    const server = createServer(
      (socket) => void sockets.add(socket.on('error', () => undefined)).add(socket.end('hello\r\n')),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(() => {
      sockets.forEach((socket) => socket.destroy());
      return new Promise((resolve) => server.close(resolve));
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(local().send({ ...request, url })).rejects.toEqual(failure('BAD_ANSWER'));
  });

  it('says that a closed port cannot be reached', async () => {
    const url = `http://127.0.0.1:${CLOSED_PORT}`;
    await expect(local().send({ ...request, url })).rejects.toEqual(failure('UNREACHABLE'));
  });
});

/** Threat 40: nothing that a stranger can write as a URL reaches a server inside. */
describe('WebhookClient against server-side request forgery', () => {
  let canary: WebhookReceiver;
  let port: string;
  beforeAll(async () => {
    canary = await WebhookReceiver.start('::');
    port = canary.port.toString();
  });
  afterAll(() => canary.stop());

  const guarded = (resolve?: (host: string) => Promise<readonly ResolvedAddress[]>) =>
    new WebhookClient({ signingKey, allowInsecure: false, ...(resolve && { resolve }) });
  const refuses = (client: WebhookClient, url: string) =>
    expect(client.send({ ...request, url })).rejects.toEqual(failure('FORBIDDEN_TARGET'));

  afterEach(() => expect(canary.connections).toBe(0));

  const HOSTS = ['127.0.0.1', '[::1]', '0.0.0.0', '2130706433', '0x7f000001', '0177.0.0.1', '[::ffff:127.0.0.1]'];
  it.each(HOSTS.flatMap((host) => ['http', 'https'].map((scheme) => [scheme, host] as const)))(
    'sends no packet to %s://%s',
    async (scheme, host) => {
      await refuses(guarded(), `${scheme}://${host}:${port}/`);
      await refuses(guarded(), `${scheme}://${host}/`);
    },
  );

  it.each(['169.254.169.254', '[fd00:ec2::254]', 'metadata.google.internal', 'postgres.default.svc.cluster.local'])(
    'does not even look for https://%s',
    async (host) => {
      const resolve = jest.fn();
      await refuses(guarded(resolve), `https://${host}/latest/meta-data/`);
      expect(resolve).not.toHaveBeenCalled();
    },
  );

  it.each([
    ['loopback', [{ address: '127.0.0.1', family: 4 }]],
    ['metadata', [{ address: '169.254.169.254', family: 4 }]],
    ['mapped loopback', [{ address: '::ffff:127.0.0.1', family: 6 }]],
    [
      'a public and a private address',
      [
        { address: '1.1.1.1', family: 4 },
        { address: '10.0.0.1', family: 4 },
      ],
    ],
  ])('sends no packet to a public name that leads to %s', async (_what, addresses) => {
    await refuses(
      guarded(async () => addresses),
      'https://hooks.example.org/',
    );
  });

  it('connects to the address that was checked when the name leads elsewhere the second time', async () => {
    const resolve = jest
      .fn<Promise<readonly ResolvedAddress[]>, [string]>()
      // Public by its range; from here nobody answers.
      .mockResolvedValueOnce([{ address: '2606:4700::dead:beef', family: 6 }])
      .mockResolvedValue([{ address: '127.0.0.1', family: 4 }]);
    const sent = guarded(resolve).send({ ...request, url: `https://hooks.example.org:8443/`, timeoutMs: 300 });
    await expect(sent).rejects.toMatchObject({ fault: expect.stringMatching(/UNREACHABLE|TIMEOUT/) });
    expect(resolve).toHaveBeenCalledTimes(1);
  });

  it('ignores a proxy named in the environment', async () => {
    const before = { ...process.env };
    Object.assign(process.env, { http_proxy: `http://127.0.0.1:${port}`, https_proxy: `http://127.0.0.1:${port}` });
    try {
      const client = guarded(async () => [{ address: '2606:4700::dead:beef', family: 6 }]);
      await expect(client.send({ ...request, url: 'https://hooks.example.org/', timeoutMs: 300 })).rejects.toThrow();
    } finally {
      process.env = before;
    }
  });

  it('lets the local world reach loopback, and still nothing private', async () => {
    const client = new WebhookClient({ signingKey, allowInsecure: true });
    await refuses(client, 'http://10.0.0.1/');
    await refuses(client, 'http://169.254.169.254/');
  });
});
