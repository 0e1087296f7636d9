import { DEV_KEYS } from '@paymaster/devnet';
import { normalizeAddress } from '@paymaster/domain';
import { OtlpCollector, type CollectedSpan } from '@paymaster/tracing/testing';
import { startDashboardProcess, type DashboardProcess } from './testing/dashboard-process';
import { startGatewayWorld, type GatewayWorld } from './testing/gateway-world';
import { call, executeCall, sponsoredMode, wireOperationV07 } from './testing/rpc-call';

const INDEX_KEY = '11'.repeat(32);

let collector: OtlpCollector;
let world: GatewayWorld;
let dashboard: DashboardProcess;
const closers: Array<() => unknown> = [];

beforeAll(async () => {
  collector = await OtlpCollector.start();
  closers.push(() => collector.stop());
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, API_KEY_INDEX_KEY: INDEX_KEY };
  world = await startGatewayWorld({ env });
  closers.push(() => world.stop());
  dashboard = await startDashboardProcess(world, { env });
  closers.push(() => dashboard.stop());
}, 240_000);
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

/** A paymaster that sponsors every call and has a funded wallet, registered over REST. */
async function registerPaymaster(): Promise<string> {
  const authToken = await dashboard.createAccount('traced');
  const body = { name: 'traced', type: 'HYBRID', chainId: 31337, version: '1.1.0' };
  const { apiKey } = await dashboard.ask({ method: 'POST', path: '/paymaster', keys: { authToken }, body });
  await world.ledger.rows('UPDATE dashboard.paymasters SET funding_wallet = $1, settings_sponsor_any_contract = true', [
    normalizeAddress(DEV_KEYS.fundingWallet.address),
  ]);
  return String(apiKey);
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
  // Follows the spans from the Postgres read up to the client's request.
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
