import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { DependencyUnavailableError, SponsorshipRefusedError } from '@paymaster/domain';
import { until } from '@paymaster/domain/testing';
import { NO_TRACER } from './no-tracer';
import { openTracing } from './open-tracing';
import type { TracingOptions } from './otlp-tracer';
import type { Tracer } from './span';
import { OtlpCollector } from './testing';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN_ID = '00f067aa0ba902b7';

let collector: OtlpCollector;
let tracer: Tracer;
const faults: string[] = [];

const open = (changes: Partial<TracingOptions> = {}): Promise<Tracer> =>
  openTracing({
    ...{ serviceName: 'test', endpoint: collector.url, sampleRatio: 1, onFault: (message) => faults.push(message) },
    ...changes,
  });

beforeEach(async () => {
  faults.length = 0;
  collector = await OtlpCollector.start();
  tracer = await open();
});

afterEach(async () => {
  await tracer.close();
  await collector.stop();
});

describe('openTracing', () => {
  it('is off without an endpoint: spans are one constant, and work is handed back as it is', async () => {
    const off = await openTracing({ serviceName: 'test', sampleRatio: 1 });
    const span = off.serve('work', `00-${TRACE_ID}-${SPAN_ID}-01`);
    const work = Promise.resolve(1);
    expect(off).toBe(NO_TRACER);
    expect(span.child('part')).toBe(span);
    expect(off.begin('work').call('part')).toBe(span);
    expect(span.until(work)).toBe(work);
    expect(span).toMatchObject({ isRecording: false, traceparent: undefined });
    await off.close();
  });

  it('exports a tree of spans with kinds, attributes and failures', async () => {
    const root = tracer.serve('request');
    root.set('chain.id', 10);
    await root.call('look-up').until(Promise.resolve());
    const part = root.child('part');
    await expect(part.until(Promise.reject(new TypeError('at http://secret.example')))).rejects.toThrow(TypeError);
    root.end();

    const [request] = await collector.named('request');
    expect(request).toMatchObject({
      service: 'test',
      kind: 'server',
      parentSpanId: '',
      attributes: { 'chain.id': 10 },
    });
    expect(collector.childrenOf(request!)).toMatchObject([
      { name: 'look-up', kind: 'client', hasFailed: false },
      { name: 'part', kind: 'internal', hasFailed: true, attributes: { 'error.type': 'TypeError' } },
    ]);
    expect(collector.bodies.join()).not.toContain('secret.example');
  });

  it('goes on from the header of another process, and begins anew where it is malformed', async () => {
    tracer.serve('followed', `00-${TRACE_ID}-${SPAN_ID}-01`).end();
    tracer.serve('anew', `00-${TRACE_ID}-${SPAN_ID}-01, again`).end();
    const [followed] = await collector.named('followed');
    const [anew] = await collector.named('anew');
    expect(followed).toMatchObject({ traceId: TRACE_ID, parentSpanId: SPAN_ID });
    expect(anew).toMatchObject({ parentSpanId: '' });
    expect(anew?.traceId).not.toBe(TRACE_ID);
  });

  it('hands its place on in the header', async () => {
    const span = tracer.begin('here');
    expect(span.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    tracer.serve('there', span.traceparent).end();
    span.end();
    const [here] = await collector.named('here');
    await collector.named('there');
    expect(collector.childrenOf(here!)).toMatchObject([{ name: 'there' }]);
  });

  it('tells refusals, which are answers, from faults', async () => {
    const refused = tracer.begin('refused');
    refused.failed(new SponsorshipRefusedError('METHOD_NOT_WHITELISTED', 'no', []));
    refused.end();
    const down = tracer.begin('down');
    down.failed(new DependencyUnavailableError('database', 'down'));
    down.end();
    expect(await collector.named('refused')).toMatchObject([
      { hasFailed: false, attributes: { reason: 'METHOD_NOT_WHITELISTED' } },
    ]);
    expect(await collector.named('down')).toMatchObject([{ hasFailed: true }]);
  });

  it('keeps a share of traces, the same in every process', async () => {
    const other = await open({ serviceName: 'other', sampleRatio: 0.5 });
    const half = await open({ sampleRatio: 0.5 });
    for (let i = 0; i < 200; i++) {
      const span = half.begin('here');
      other.serve('there', span.traceparent).end();
      // What is not kept still says so to the next process.
      if (!span.isRecording) expect(span.child('part').traceparent).toMatch(/-00$/);
      span.end();
    }
    await Promise.all([half.close(), other.close()]);
    const here = await collector.named('here');
    expect(here.length).toBeGreaterThan(50);
    expect(here.length).toBeLessThan(150);
    const traceIds = (name: string) => collector.spans.filter((span) => span.name === name).map((span) => span.traceId);
    expect(traceIds('there').sort()).toEqual(traceIds('here').sort());
  });

  it('does not let a flag of strangers turn the ratio off', async () => {
    const none = await open({ sampleRatio: 0 });
    expect(none.serve('request', `00-${TRACE_ID}-${SPAN_ID}-01`).isRecording).toBe(false);
    expect(tracer.serve('request', `00-${TRACE_ID}-${SPAN_ID}-00`).isRecording).toBe(false);
    await none.close();
  });

  it('sends the headers of the configuration', async () => {
    const keyed = await open({ headers: 'x-key=abc%20def' });
    keyed.begin('work').end();
    await keyed.close();
    expect(collector.headers.at(-1)).toMatchObject({ 'x-key': 'abc def', 'content-type': 'application/json' });
  });

  it('refuses headers that are none, without repeating them', async () => {
    await expect(open({ headers: 'abc-secret' })).rejects.toThrow('part 1 is no header');
  });

  it('uses no AsyncLocalStorage', async () => {
    const run = jest.spyOn(AsyncLocalStorage.prototype, 'run');
    const enter = jest.spyOn(AsyncLocalStorage.prototype, 'enterWith');
    const span = tracer.serve('request');
    await span.child('part').until(sleep(1));
    span.end();
    await tracer.close();
    expect([run.mock.calls.length, enter.mock.calls.length]).toEqual([0, 0]);
    expect(collector.spans).toHaveLength(2);
    jest.restoreAllMocks();
  });
});

describe('a collector that misbehaves', () => {
  const trace = (count: number): void => {
    for (let i = 0; i < count; i++) tracer.begin('work').end();
  };
  const untilFault = () => until(() => faults.length > 0);

  it.each([
    ['hangs', () => void (collector.behaviour = 'hang')],
    ['fails', () => void (collector.behaviour = 'fail')],
    ['refuses connections', () => collector.stop()],
  ])('that %s: spans cost nothing to end, are dropped, and the process ends in time', async (_title, misbehave) => {
    await misbehave();
    // Nothing is thrown, and nothing waits: many more than may be queued.
    trace(10_000);
    await sleep(1_500);
    trace(10_000);
    const startedMs = performance.now();
    await tracer.close();
    expect(performance.now() - startedMs).toBeLessThan(4_000);
    expect(collector.spans).toEqual([]);
  });

  it('is reported once per outage, and sent spans again when it is back', async () => {
    collector.behaviour = 'fail';
    trace(1);
    await untilFault();
    trace(600);
    await sleep(1_500);
    expect(faults).toEqual(['the trace collector takes no spans; they are dropped until it does']);
    collector.behaviour = 'take';
    tracer.begin('after').end();
    await collector.named('after');
    collector.behaviour = 'fail';
    trace(1);
    faults.length = 0;
    await untilFault();
    expect(faults).toHaveLength(1);
  });
});
