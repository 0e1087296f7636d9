import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { DEV_KEYS, freePort } from '@paymaster/devnet';
import { CANONICAL_ENTRY_POINTS, normalizeAddress } from '@paymaster/domain';
import { OtlpCollector, type CollectedSpan } from '@paymaster/tracing/testing';
import { startGatewayWorld, type GatewayWorld } from './testing/gateway-world';
import { call, executeCall, sponsoredMode, wireOperationV07 } from './testing/rpc-call';
import { until } from './testing/until';

const DASHBOARD = join(__dirname, '../../dashboard/src');
const INDEX_KEY = '11'.repeat(32);
const READY_MS = 180_000;

let collector: OtlpCollector;
let world: GatewayWorld;
let dashboardUrl: string;
const closers: Array<() => unknown> = [];

beforeAll(async () => {
  collector = await OtlpCollector.start();
  closers.push(() => collector.stop());
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, API_KEY_INDEX_KEY: INDEX_KEY };
  world = await startGatewayWorld({ env });
  closers.push(() => world.stop());
  // From here on only the real one answers.
  await world.responder.stop();
  dashboardUrl = await startDashboard(env);
}, READY_MS + 60_000);
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

const run = (file: string, args: string[], env: Record<string, string>) =>
  spawn(process.execPath, ['-r', '@swc-node/register', join(DASHBOARD, file), ...args], {
    env: { PATH: process.env['PATH'], DATABASE_URL: world.ledger.url, ...env },
  });

/** The other app, as a process of its own: two apps do not import each other. @returns its base URL */
async function startDashboard(env: Record<string, string>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'paymaster-trace-'));
  const chainsFile = join(folder, 'chains.json');
  const entryPoints = { '0.7': { entryPoint: CANONICAL_ENTRY_POINTS['0.7'], paymaster: world.paymasters['0.7'] } };
  const chain = {
    chainId: 31337,
    name: 'local',
    rpcUrls: [world.anvil.url],
    bundlerUrl: 'http://127.0.0.1:9',
    entryPoints,
  };
  writeFileSync(chainsFile, JSON.stringify({ chains: [chain] }));
  const port = await freePort();
  const child = run('main.ts', [], {
    ...env,
    ...{ HOST: '127.0.0.1', PORT: `${port}`, DRAIN_SECONDS: '0', LOG_LEVEL: 'silent', CHAINS_FILE: chainsFile },
    ...{ NATS_URL: world.broker.current.url, API_KEY_ENCRYPTION_KEY: '22'.repeat(32) },
  });
  const ended = once(child, 'exit');
  closers.push(async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${port}`;
  const isReady = () => fetch(`${url}/health/ready`).then(({ ok }) => ok, () => false); // prettier-ignore
  await until('the dashboard is ready', isReady, READY_MS);
  return url;
}

/** A paymaster that sponsors every call and has a funded wallet, registered over REST. */
async function registerPaymaster(): Promise<string> {
  const child = run('account.cli.ts', ['create', '--name', 'traced', '--json'], {});
  const { authToken } = JSON.parse(await text(child.stdout)) as { authToken: string };
  const response = await fetch(`${dashboardUrl}/api/v2/public/sdk/paymaster`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authToken },
    body: JSON.stringify({ name: 'traced', type: 'HYBRID', chainId: 31337, version: '1.1.0' }),
  });
  const { data } = (await response.json()) as { data: { apiKey: string } };
  await world.ledger.rows('UPDATE dashboard.paymasters SET funding_wallet = $1, settings_sponsor_any_contract = true', [
    normalizeAddress(DEV_KEYS.fundingWallet.address),
  ]);
  return data.apiKey;
}

const nameAndService = ({ service, name }: CollectedSpan) => `${service}: ${name}`;

it('one trace of a sponsored request goes through gateway, NATS, dashboard and Postgres', async () => {
  const apiKey = await registerPaymaster();
  const operation = wireOperationV07(executeCall({ to: world.demo.address, data: world.demo.callData }));
  const url = `${world.url}/api/v1/31337/${apiKey}`;
  const answer = await call(url, 'pm_sponsorUserOperation', [operation, sponsoredMode()]);
  expect(answer.json.result).toBeDefined();

  const [request] = await collector.named('pm_sponsorUserOperation');
  const [read] = await collector.named('postgres policy snapshot');
  // From the read of Postgres up to the client's request.
  const path = [read!];
  for (let span = read; span?.parentSpanId;) {
    span = collector.spans.find(({ spanId }) => spanId === span?.parentSpanId);
    if (span) path.push(span);
  }
  expect(path.map(nameAndService)).toEqual([
    'dashboard: postgres policy snapshot',
    'dashboard: policy.resolve',
    'paymaster-rpc: policy.resolve',
    'paymaster-rpc: pm_sponsorUserOperation',
  ]);
  expect(new Set(path.map(({ traceId }) => traceId))).toEqual(new Set([request?.traceId]));
  expect(path.map(({ kind }) => kind)).toEqual(['client', 'server', 'client', 'server']);
  for (const secret of [apiKey, INDEX_KEY, '22'.repeat(32)]) expect(collector.bodies.join()).not.toContain(secret);
});
