import { randomAddress } from '@paymaster/domain/testing';
import { fakeClock, ScriptedFeeds } from '../../testing';
import { SequencerFeed } from './sequencer-feed';

describe('SequencerFeed', () => {
  const time = fakeClock();
  const now = time.nowSeconds();
  const feed = randomAddress();
  const check = (round: { answer: bigint; startedAt: number }) =>
    new SequencerFeed(new ScriptedFeeds().set(feed, { updatedAt: now, ...round }), time, {
      feed,
      graceSeconds: 3_600,
    }).check();

  it('reports no fault when the sequencer is up for longer than the grace', async () => {
    expect(await check({ answer: 0n, startedAt: now - 3_601 })).toBeUndefined();
  });

  it.each([
    ['is down', { answer: 1n, startedAt: now - 86_400 }],
    ['is just back', { answer: 0n, startedAt: now - 3_600 }],
    ['was never heard of', { answer: 0n, startedAt: 0 }],
    ['says something unknown', { answer: 2n, startedAt: now - 86_400 }],
  ])('stops the chain when the sequencer %s', async (_, round) => {
    expect(await check(round)).toMatchObject({ fault: 'SEQUENCER_DOWN', outage: false });
  });

  it('reports a fault when the feed can not be read', async () => {
    const nobody = new SequencerFeed(new ScriptedFeeds(), time, { feed, graceSeconds: 0 });
    expect(await nobody.check()).toMatchObject({ outage: true });
  });
});
