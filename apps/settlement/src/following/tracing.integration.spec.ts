import { openTracing } from '@paymaster/tracing';
import { OtlpCollector } from '@paymaster/tracing/testing';
import { SettlementWorld } from '../testing/settlement-world';

let world: SettlementWorld;
let collector: OtlpCollector;
beforeAll(async () => {
  world = await SettlementWorld.start();
  collector = await OtlpCollector.start();
});
afterAll(async () => {
  await collector.stop();
  await world.stop();
});

it('a look at a chain is a trace with its steps, and says what came of it', async () => {
  const tracer = await openTracing({ serviceName: 'settlement', endpoint: collector.url, sampleRatio: 1 });
  const books = await world.books(1);
  try {
    await books.makeFinal();
    const span = tracer.begin('follow chain');
    const { state } = await span.until(books.follower().follower.step(span));
    expect(state).toBe('leader');
    await tracer.close();
    const [look] = await collector.named('follow chain');
    expect(look).toMatchObject({ parentSpanId: '', hasFailed: false, attributes: { outcome: 'leader' } });
    const steps = collector.childrenOf(look!).map(({ name }) => name);
    expect(steps.sort()).toEqual([
      'apply',
      'end withdrawals',
      'find meeting block',
      'hold lease',
      'look for events',
      'read final',
      'read head',
      'settle',
    ]);
  } finally {
    await books.drop();
  }
});
