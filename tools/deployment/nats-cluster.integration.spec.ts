import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startProcess, type RunningProcess } from '@paymaster/devnet';
import { eventually } from '@paymaster/domain/testing';
import { natsConnectionOptions } from '@paymaster/messaging';
import { connect, type NatsConnection } from 'nats';
import { renderOverlay } from './render';

const SERVERS = [0, 1, 2];
const SUBJECT = 'sponsorship.settled.p';

let folder: string;
let servers: Array<RunningProcess & { url: string }>;
const connections: NatsConnection[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nats-cluster-'));
  makeCertificates();
  const ports = await Promise.all(SERVERS.map(async () => ({ client: await freePort(), cluster: await freePort() })));
  servers = await Promise.all(SERVERS.map((index) => startServer(index, ports)));
});
afterAll(async () => {
  await Promise.all(connections.map((connection) => connection.close()));
  await Promise.all((servers ?? []).map((server) => server.stop()));
  rmSync(folder, { recursive: true, force: true });
});

type Ports = ReadonlyArray<{ client: number; cluster: number }>;

/** A server with the files of the rendered config map; only addresses and folders are those of this machine. */
async function startServer(index: number, ports: Ports): Promise<RunningProcess & { url: string }> {
  const own = join(folder, `nats-${index}`);
  mkdirSync(own);
  const configMap = renderOverlay('prod').find(
    ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith('nats-'),
  );
  for (const [name, text] of Object.entries(configMap?.data as Record<string, string>)) {
    writeFileSync(join(own, name), onThisMachine({ text, index, own, ports }));
  }
  const server = await startProcess({
    name: 'nats-server',
    command: process.env['NATS_SERVER_BIN'] ?? 'nats-server',
    args: ['-c', join(own, 'server.conf')],
    env: {
      POD_NAME: `nats-${index}`,
      NATS_DASHBOARD_PASSWORD: '"dashboard"',
      NATS_PAYMASTER_RPC_PASSWORD: '"paymaster-rpc"',
      NATS_SETTLEMENT_PASSWORD: '"settlement"',
      NATS_STREAM_MAKER_PASSWORD: '"stream-maker"',
    },
    ready: { line: (line) => line.includes('Server is ready') },
  });
  return { ...server, url: `tls://127.0.0.1:${ports[index]?.client}` };
}

function onThisMachine(input: { text: string; index: number; own: string; ports: Ports }): string {
  const { text, index, own, ports } = input;
  return text
    .replaceAll('/etc/nats-tls/client', join(folder, 'client'))
    .replaceAll('/etc/nats-tls/cluster', join(folder, 'cluster'))
    .replace('"/data"', `"${own}/data"`)
    .replace('"/run/nats/nats.pid"', `"${own}/nats.pid"`)
    .replace('0.0.0.0:4222', `127.0.0.1:${ports[index]?.client}`)
    .replace('0.0.0.0:6222', `127.0.0.1:${ports[index]?.cluster}`)
    .replace('0.0.0.0:8222', '127.0.0.1:-1')
    .replace(/nats-(\d)\.nats-routes:6222/g, (_, other: string) => `127.0.0.1:${ports[Number(other)]?.cluster}`);
}

/** Two authorities, as the two secrets come from two issuers, each its own certificate; and one that nobody believes. */
function makeCertificates(): void {
  for (const name of ['client', 'cluster', 'stranger']) {
    mkdirSync(join(folder, name));
    const [key, certificate] = ['tls.key', 'tls.crt'].map((file) => join(folder, name, file)) as [string, string];
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
        ...[
          '-keyout',
          key,
          '-out',
          certificate,
          '-subj',
          `/CN=${name}`,
          '-addext',
          'subjectAltName=DNS:localhost,IP:127.0.0.1',
        ],
      ],
      { stdio: 'ignore' },
    );
    execFileSync('cp', [certificate, join(folder, name, 'ca.crt')]);
  }
}

/** As an app would, but once, where an app tries for as long as it takes. */
async function connectAs(user: string, options: { ca?: string; server?: number } = {}): Promise<NatsConnection> {
  const settings = {
    natsUrl: servers[options.server ?? 0]?.url.replace('127.0.0.1', 'localhost') ?? '',
    natsUser: user,
    natsPassword: user,
    natsCaFile: join(folder, options.ca ?? 'client', 'ca.crt'),
  };
  const inboxPrefix = user === 'paymaster-rpc' ? '_INBOX' : `_INBOX_${user}`;
  const once = { waitOnFirstConnect: false, reconnect: false };
  const connection = await connect({ ...natsConnectionOptions(settings, 'test'), inboxPrefix, ...once });
  connections.push(connection);
  return connection;
}

describe('three servers with the configuration of production', () => {
  it('keep the event stream three times, and one that goes takes nothing with it', async () => {
    const maker = await connectAs('stream-maker');
    const streams = await eventually(60_000, () => maker.jetstreamManager({ checkAPI: false }));
    await eventually(60_000, () =>
      streams.streams.add({ name: 'SPONSORSHIP', subjects: ['sponsorship.>'], num_replicas: SERVERS.length }),
    );
    const settlement = await connectAs('settlement');
    const manager = await eventually(60_000, () => settlement.jetstreamManager({ checkAPI: false }));
    await eventually(60_000, () => settlement.jetstream().publish(SUBJECT, 'one'));

    await servers[2]?.stop();
    await eventually(60_000, () => settlement.jetstream().publish(SUBJECT, 'two', { timeout: 2_000 }));
    const { cluster, state } = await eventually(60_000, () => manager.streams.info('SPONSORSHIP'));
    expect(state.messages).toBeGreaterThanOrEqual(2);
    expect(cluster?.replicas).toHaveLength(2);
  });

  it('carry a question from one server to another', async () => {
    const gateway = await connectAs('paymaster-rpc', { server: 0 });
    const dashboard = await connectAs('dashboard', { server: 1 });
    dashboard.subscribe('paymaster.policy.resolve', { callback: (_, message) => void message.respond('answer') });
    await dashboard.flush();
    const answer = await eventually(60_000, () =>
      gateway.request('paymaster.policy.resolve', '{}', { timeout: 2_000 }),
    );
    expect(answer.string()).toBe('answer');
    // Addresses of pods are in no certificate: clients must not hear of them.
    expect(gateway.info?.connect_urls ?? []).toEqual([]);
  });

  it('are not believed with the certificate of another authority', async () => {
    await expect(connectAs('dashboard', { ca: 'stranger' })).rejects.toThrow(/self.signed|unable to verify/i);
  });

  it('do not let a client in that talks no TLS', async () => {
    const plain = connect({
      servers: servers[0]?.url.replace('tls:', 'nats:'),
      user: 'dashboard',
      pass: 'dashboard',
      reconnect: false,
    });
    await expect(plain).rejects.toThrow();
  });
});
