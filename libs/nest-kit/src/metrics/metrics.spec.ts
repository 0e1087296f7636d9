import { Metrics } from './metrics';

/** The lines of one metric. */
const linesOf = async (metrics: Metrics, name: string) =>
  (await metrics.render()).split('\n').filter((line) => line.includes(name));

describe('Metrics', () => {
  it("has Node's numbers from the start", async () => {
    const text = await new Metrics().render();
    for (const name of ['process_cpu_seconds_total', 'nodejs_eventloop_lag_p99_seconds', 'nodejs_heap_size_used_bytes'])
      expect(text).toContain(`\n${name} `);
  });

  it('reports the sums of tallies', async () => {
    const metrics = new Metrics();
    const counter = metrics.counter({ name: 'calls_total', help: 'Calls', labelNames: ['method'] });
    const [first, second] = [counter.tally({ method: 'first' }), counter.tally({ method: 'say "x"\n' })];
    first.value++;
    first.value++;
    second.value += 5;
    expect(await linesOf(metrics, 'calls_total')).toEqual([
      '# HELP calls_total Calls',
      '# TYPE calls_total counter',
      'calls_total{method="first"} 2',
      'calls_total{method="say \\"x\\"\\n"} 5',
    ]);
  });

  it('adds buckets up as Prometheus has them: a value on a bound is under it', async () => {
    const metrics = new Metrics();
    const histogram = metrics.histogram({ name: 'seconds', help: 'Seconds', labelNames: ['mode'], bounds: [0.1, 1] });
    const timing = histogram.timing({ mode: 'token' });
    for (const seconds of [0.05, 0.1, 0.5, 7]) timing.observe(seconds);
    expect(await linesOf(metrics, 'seconds{')).toEqual([]);
    expect((await linesOf(metrics, 'seconds')).filter((line) => line.startsWith('seconds_'))).toEqual([
      'seconds_bucket{mode="token",le="0.1"} 2',
      'seconds_bucket{mode="token",le="1"} 3',
      'seconds_bucket{mode="token",le="+Inf"} 4',
      'seconds_sum{mode="token"} 7.65',
      'seconds_count{mode="token"} 4',
    ]);
  });

  it('reads outside numbers at each scrape, and leaves out those that cannot be read', async () => {
    const metrics = new Metrics();
    let waiting = 1;
    metrics.gauge({ name: 'waiting', help: 'Waiting' }, () => waiting);
    metrics.total({ name: 'gone_total', help: 'Gone' }, () => Promise.reject(new Error('unreadable')));
    metrics.gauge({ name: 'by_chain', help: 'By chain', labelNames: ['chain'] }, async () => [
      { labels: { chain: '1' }, value: 2 },
    ]);
    waiting = 3;
    const text = await metrics.render();
    expect(text).toContain('\nwaiting 3\n');
    expect(text).toContain('\nby_chain{chain="1"} 2\n');
    expect(text).toContain('# TYPE gone_total counter\n');
    expect(text).not.toContain('\ngone_total ');
  });

  it('refuses a name that is taken', () => {
    const metrics = new Metrics();
    metrics.counter({ name: 'twice_total', help: 'Twice' });
    expect(() => metrics.counter({ name: 'twice_total', help: 'Twice' })).toThrow('twice_total');
  });
});
