import { watchRateSharing, type RateSharing } from './common-metrics';
import { Metrics } from './metrics';

describe('watchRateSharing', () => {
  const linesOf = async (sharing: RateSharing | undefined) => {
    const metrics = new Metrics();
    watchRateSharing(metrics, () => sharing);
    return (await metrics.render()).split('\n').filter((line) => line.startsWith('paymaster_rate_'));
  };

  it.each([
    [true, 1],
    [false, 0],
  ])('says whether the process reaches the others, and counts messages: %s', async (connected, value) => {
    expect(await linesOf({ connected, counts: { told: 3, heard: 2, ignored: 1 } })).toEqual([
      `paymaster_rate_sharing ${value}`,
      'paymaster_rate_messages_total{what="told"} 3',
      'paymaster_rate_messages_total{what="heard"} 2',
      'paymaster_rate_messages_total{what="ignored"} 1',
    ]);
  });

  it('has no metrics when there are no limits', async () => {
    expect(await linesOf(undefined)).toEqual([]);
  });
});
