import { OtlpCollector, type CollectedSpan } from '@paymaster/tracing/testing';
import { DEV_KEYS } from '@paymaster/devnet';
import { startGatewayWorld, type GatewayWorld } from './testing/gateway-world';
import { call, executeCall, post, sponsoredMode, wireOperationV07 } from './testing/rpc-call';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN_ID = '00f067aa0ba902b7';
const METHOD = 'pm_sponsorUserOperation';

let collector: OtlpCollector;
let world: GatewayWorld;
beforeAll(async () => {
  collector = await OtlpCollector.start();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_HEADERS: 'x-key=secret-of-collector' };
  world = await startGatewayWorld({ env });
});
afterAll(async () => {
  await world.stop();
  await collector.stop();
});

const urlOf = (apiKey: string): string => `${world.url}/api/v1/31337/${apiKey}`;
const operation = () => wireOperationV07(executeCall({ to: world.demo.address, data: world.demo.callData }));
const namesOf = (spans: readonly CollectedSpan[]): string[] => spans.map(({ name }) => name).sort();

describe('traces of the gateway', () => {
  it('continue the client’s trace, and have a span for every step of a sponsored request', async () => {
    const { apiKey, snapshot } = world.newPaymaster();
    const headers = { traceparent: `00-${TRACE_ID}-${SPAN_ID}-01`, 'x-request-id': 'r-1' };
    const answer = await call(urlOf(apiKey), METHOD, [operation(), sponsoredMode()], headers);
    expect(answer.json.result).toBeDefined();

    const [request] = await collector.named(METHOD);
    expect(request).toMatchObject({
      ...{ service: 'paymaster-rpc', kind: 'server', traceId: TRACE_ID, parentSpanId: SPAN_ID, hasFailed: false },
      attributes: {
        ...{ 'request.id': 'r-1', 'chain.id': 31337, 'paymaster.id': snapshot.paymasterId, outcome: 'granted' },
      },
    });
    const steps = collector.childrenOf(request!);
    expect(namesOf(steps)).toEqual(['policy.resolve', 'reserve', 'sign', 'verdict']);
    const [reserve] = steps.filter(({ name }) => name === 'reserve');
    expect(collector.childrenOf(reserve!)).toMatchObject([{ name: 'postgres reserve', kind: 'client' }]);
    // The dashboard's span is a child of the question, not of the request.
    const [question] = steps.filter(({ name }) => name === 'policy.resolve');
    expect(world.responder.received.at(-1)?.traceparent).toBe(`00-${TRACE_ID}-${question?.spanId}-01`);
  });

  it('say why a request was refused, without calling that a failure', async () => {
    const { apiKey } = world.newPaymaster({ contracts: [] });
    await call(urlOf(apiKey), METHOD, [operation(), sponsoredMode()], { 'x-request-id': 'refused-1' });
    const request = await withRequestId('refused-1');
    expect(request).toMatchObject({ hasFailed: false, attributes: { outcome: 'refused' } });
    expect(request.attributes['reason']).toMatch(/^[A-Z_]+$/);
  });

  it('have a span for each entry of a batch, with its own steps', async () => {
    const { apiKey } = world.newPaymaster();
    const entries = [1, 2].map((id) => ({
      ...{ jsonrpc: '2.0', id, method: METHOD },
      params: [operation(), sponsoredMode()],
    }));
    await post(urlOf(apiKey), JSON.stringify(entries), { 'x-request-id': 'batch-1' });
    await withRequestId('batch-1');
    const both = collector.spans.filter(({ attributes }) => attributes['request.id'] === 'batch-1');
    expect(both).toHaveLength(2);
    for (const entry of both) expect(namesOf(collector.childrenOf(entry))).toEqual(expect.arrayContaining(['sign']));
    // Asked once for both.
    expect(
      both.flatMap((entry) => namesOf(collector.childrenOf(entry))).filter((name) => name === 'policy.resolve'),
    ).toHaveLength(1);
  });

  it('hold no key, address or body of a client', async () => {
    const { apiKey } = world.newPaymaster();
    const sent = operation();
    await call(`${world.url}/`, METHOD, [sent, sponsoredMode()], { 'x-api-key': apiKey, 'x-request-id': 'secret-1' });
    await call(urlOf('unknown-key'), METHOD, [sent, sponsoredMode()], { 'x-request-id': 'secret-2' });
    await withRequestId('secret-1');
    await withRequestId('secret-2');
    const exported = collector.bodies.join();
    const secrets = [apiKey, world.responder.received.at(-1)?.apiKeyIndex ?? '', DEV_KEYS.signer.privateKey.slice(2)];
    for (const text of [...secrets, 'secret-of-collector', '127.0.0.1', String(sent['sender']), 'unknown-key']) {
      expect(exported).not.toContain(text);
    }
  });

  it('cost requests nothing when the collector is dead', async () => {
    // 40 requests per paymaster, which is below the cap on its live signatures.
    const medianMs = async (): Promise<number> => {
      const { apiKey } = world.newPaymaster();
      const times: number[] = [];
      for (let i = 0; i <= 40; i++) {
        const startedMs = performance.now();
        const answer = await call(urlOf(apiKey), METHOD, [operation(), sponsoredMode()]);
        expect(answer.json.result).toBeDefined();
        times.push(performance.now() - startedMs);
      }
      return times.sort((a, b) => a - b)[20] ?? Infinity;
    };
    const aliveMs = await medianMs();
    collector.behaviour = 'hang';
    const hangingMs = await medianMs();
    collector.behaviour = 'fail';
    const failingMs = await medianMs();
    collector.behaviour = 'take';
    // If a request waited for the collector, it would take 5 s; a busy machine adds far less.
    expect(Math.max(hangingMs, failingMs)).toBeLessThan(2 * aliveMs + 200);
  });
});

/** Waits for the span of a request. */
async function withRequestId(id: string): Promise<CollectedSpan> {
  for (let atLeast = 1; ; atLeast++) {
    const found = collector.spans.find(({ attributes }) => attributes['request.id'] === id);
    if (found) return found;
    await collector.named(METHOD, { atLeast });
  }
}
