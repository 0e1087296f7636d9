import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startNats, type Nats } from '@paymaster/devnet';
import { eventually } from '@paymaster/domain/testing';
import { connectPatiently, natsConnectionOptions } from '@paymaster/messaging';
import { connect, type NatsConnection } from 'nats';

const SUBJECT = 'echo';
/** How long a restarted server may take until it answers all clients; milliseconds. */
const RECOVERED_MS = 5_000;

let folder: string;
let port: number;
let server: Nats;
const closing = new AbortController();
const connections: NatsConnection[] = [];

const file = (name: string) => join(folder, name);

/** An authority and its one certificate. */
function issue(name: string): void {
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const files = ['-keyout', file(`${name}.key`), '-out', file(`${name}.crt`)];
  const names = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  execFileSync('openssl', ['req', '-x509', ...curve, ...files, ...names], { stdio: 'ignore' });
}

/** Puts a certificate where the server looks when it starts or is told to look again. */
function present(name: string): void {
  for (const ending of ['key', 'crt']) copyFileSync(file(`${name}.${ending}`), file(`server.${ending}`));
}

/** The authority that clients trust from their next connection on. */
function trust(...names: readonly string[]): void {
  writeFileSync(file('ca.crt'), names.map((name) => readFileSync(file(`${name}.crt`), 'utf8')).join(''));
}

const start = () => startNats({ port, dataDir: file('data'), config: { file: file('server.conf'), env: {} } });
const settings = () => ({ natsUrl: `tls://localhost:${port}`, natsCaFile: file('ca.crt') });

async function connected(name: string): Promise<NatsConnection> {
  const connection = await connectPatiently(natsConnectionOptions(settings(), name), closing.signal);
  connections.push(connection);
  return connection;
}

/** Tries to connect once; the apps try until they succeed. */
async function connectOnce(natsCaFile: string): Promise<void> {
  const options = natsConnectionOptions({ ...settings(), natsCaFile }, 'once');
  const connection = await connect({ ...options, waitOnFirstConnect: false, reconnect: false });
  await connection.close();
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nats-certificates-'));
  port = await freePort();
  writeFileSync(file('server.conf'), `tls { cert_file: "${file('server.crt')}", key_file: "${file('server.key')}" }\n`);
  for (const name of ['first', 'second', 'stranger']) issue(name);
  present('first');
  trust('first');
  server = await start();
});
afterAll(async () => {
  closing.abort();
  await Promise.all(connections.map((connection) => connection.close()));
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

// One story: each part starts where the one before it ended.
describe('certificates of NATS (B45)', () => {
  let asker: NatsConnection;
  const ask = () => asker.request(SUBJECT, undefined, { timeout: 2_000 });

  it('are replaced without a failed request, by an authority that both sides know', async () => {
    const responder = await connected('responder');
    responder.subscribe(SUBJECT, { callback: (_error, message) => message.respond() });
    asker = await connected('asker');
    await eventually(RECOVERED_MS, ask);
    let isRotated = false;
    const failures: unknown[] = [];
    const load = (async () => {
      let asked = 0;
      for (; !isRotated; asked++) await ask().catch((error: unknown) => failures.push(error));
      return asked;
    })();

    trust('first', 'second');
    present('second');
    process.kill(server.pid, 'SIGHUP');
    await eventually(RECOVERED_MS, () => connectOnce(file('second.crt')));
    await expect(connectOnce(file('first.crt'))).rejects.toThrow();
    await connectOnce(file('ca.crt'));
    isRotated = true;
    expect(await load).toBeGreaterThan(0);
    expect(failures).toEqual([]);
  });

  it('of a new authority are trusted by running processes, once their file has it', async () => {
    trust('second');
    await server.stop();
    server = await start();
    await eventually(RECOVERED_MS, ask);
  });

  it('of a foreign authority are not trusted', async () => {
    present('stranger');
    process.kill(server.pid, 'SIGHUP');
    await eventually(RECOVERED_MS, () => connectOnce(file('stranger.crt')));
    await expect(connectOnce(file('ca.crt'))).rejects.toThrow();
  });

  it('do not matter for a server whose name does not resolve: the next server is used', async () => {
    present('second');
    process.kill(server.pid, 'SIGHUP');
    const natsUrl = `tls://no-such-name.invalid:4222,${settings().natsUrl}`;
    const options = natsConnectionOptions({ ...settings(), natsUrl }, 'elsewhere');
    const connection = await connectPatiently({ ...options, noRandomize: true }, closing.signal);
    connections.push(connection);
    await connection.flush();
  });
});
