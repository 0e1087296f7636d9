import { until } from '@paymaster/domain/testing';
import { apiKeyIndex } from '@paymaster/messaging';
import { OtlpCollector } from '@paymaster/tracing/testing';
import { startDashboard, CHAIN_ID, INDEX_KEY, type DashboardUnderTest } from './testing/dashboard-under-test';
import { ListeningGateway } from './testing/listening-gateway';
import { createPaymaster } from './testing/requests';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN_ID = '00f067aa0ba902b7';
const TRACEPARENT = `00-${TRACE_ID}-${SPAN_ID}-01`;

let collector: OtlpCollector;
let dashboard: DashboardUnderTest;
let gateway: ListeningGateway;
beforeAll(async () => {
  collector = await OtlpCollector.start();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_HEADERS: 'x-key=secret-of-collector' };
  dashboard = await startDashboard({ env });
  gateway = await ListeningGateway.connect(dashboard);
});
afterAll(async () => {
  await gateway.close();
  await dashboard.stop();
  await collector.stop();
});

describe('traces of the dashboard', () => {
  it('go on from the gateway over NATS, down to the read of Postgres', async () => {
    const { apiKey } = await createPaymaster(dashboard);
    const snapshot = await gateway.resolve(apiKey, CHAIN_ID, TRACEPARENT);
    const isOfGateway = (span: { name: string; parentSpanId: string }): boolean =>
      span.name === 'policy.resolve' && span.parentSpanId === SPAN_ID;
    await until(() => collector.spans.some(isOfGateway));
    const served = collector.spans.find(isOfGateway);
    // The read ended before, but may be told of later.
    await until(() => collector.childrenOf(served!).length > 0);
    expect(served).toMatchObject({
      ...{ service: 'dashboard', traceId: TRACE_ID, kind: 'server', hasFailed: false },
      attributes: {
        ...{ 'request.id': 'test', 'chain.id': CHAIN_ID, 'paymaster.id': snapshot?.paymasterId },
        outcome: 'found',
      },
    });
    expect(collector.childrenOf(served!)).toMatchObject([{ name: 'postgres policy snapshot', kind: 'client' }]);
  });

  it('begin anew where a message has no good header', async () => {
    await gateway.resolve('unknown', CHAIN_ID, 'no traceparent');
    const [unknown] = (await collector.named('policy.resolve')).filter((span) => span.traceId !== TRACE_ID);
    expect(unknown).toMatchObject({ parentSpanId: '', attributes: { outcome: 'unknown key' } });
  });

  it("name a REST request by its route's pattern, with status and paymaster, and go on from its caller", async () => {
    const keys = await createPaymaster(dashboard);
    const route = '/api/v2/public/sdk/paymaster-policy/:policyId/history';
    const url = `/api/v2/public/sdk/paymaster-policy/${TRACE_ID}/history?x=private`;
    const headers = { authtoken: keys.authToken, apikey: keys.apiKey, traceparent: TRACEPARENT, 'x-request-id': 'r-1' };
    await dashboard.app.inject({ method: 'GET', url, headers });
    const [asked] = await collector.named(`GET ${route}`);
    expect(asked).toMatchObject({
      ...{ traceId: TRACE_ID, parentSpanId: SPAN_ID, kind: 'server' },
      attributes: {
        ...{ 'request.id': 'r-1', 'http.request.method': 'GET', 'chain.id': CHAIN_ID },
        'http.route': route,
        'http.response.status_code': expect.any(Number),
        'paymaster.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    });
  });

  it('leave out what probes ask', async () => {
    await dashboard.app.inject({ method: 'GET', url: '/health/ready' });
    await dashboard.app.inject({ method: 'GET', url: '/nothing-here' });
    await collector.named('GET unknown route');
    expect(collector.spans.filter(({ name }) => name.includes('health'))).toEqual([]);
  });

  it('hold no key, token or URL', async () => {
    const { apiKey, authToken } = await createPaymaster(dashboard);
    await gateway.resolve(apiKey);
    await dashboard.call({ method: 'GET', path: `/paymaster?apiKey=${apiKey}`, authToken });
    await dashboard.app.inject({ method: 'GET', url: `/${apiKey}/${authToken}` });
    await collector.named('GET unknown route', { atLeast: 2 });
    const sent = collector.bodies.join();
    const secrets = [apiKey, authToken, apiKeyIndex(apiKey, INDEX_KEY), INDEX_KEY, '22'.repeat(32)];
    for (const secret of [...secrets, 'private', 'secret-of-collector']) expect(sent).not.toContain(secret);
    expect(collector.headers[0]).toMatchObject({ 'x-key': 'secret-of-collector' });
  });
});
