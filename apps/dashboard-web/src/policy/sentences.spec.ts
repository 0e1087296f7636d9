import { sentencesOf } from './sentences';

const rules = (data: object) => sentencesOf('RULES', data, 'ETH');

describe('sentencesOf', () => {
  it.each<[object, string]>([
    [{}, 'Everything that is whitelisted is sponsored, without a limit.'],
    [{ maxCallsPerOperation: 1 }, 'An operation may make at most 1 call.'],
    [{ maxCallValueWei: '100000000000000000' }, 'A call may send at most 0.1 ETH.'],
    [{ maxTotalValueWei: '0' }, 'All calls of an operation together may send at most 0 ETH.'],
    [{ senders: { allow: ['0x1'] } }, 'Only the listed account may use it.'],
    [{ senders: { deny: ['0x1', '0x2'] } }, 'The 2 listed accounts may not use it.'],
    [{ maxFeePercentOfBaseFee: 200 }, 'The fee per gas (maxFeePerGas) may be at most 200 % of the base fee.'],
    [
      { maxCallGasPercentOfEstimate: 120 },
      'The gas limit of the calls (callGasLimit) may be at most 120 % of the gateway’s own estimate.',
    ],
    [{ eip7702Delegates: [] }, 'No EIP-7702 delegate is sponsored.'],
    [{ accountFactories: ['0x1', '0x2'] }, 'Only the 2 listed account factories are sponsored.'],
    [
      { arguments: [{ contract: '0x1', method: 'mint(address,uint256)', index: 1, operator: 'LTE', value: '5' }] },
      'In calls of mint(address,uint256), argument 2 is at most 5.',
    ],
    [
      { revertBreaker: { maxRevertPercent: 20, minOperations: 50, windowMinutes: 60 } },
      'Sponsoring pauses while more than 20 % of at least 50 operations of the last 60 minutes reverted.',
    ],
    [
      { limits: [{ scope: 'USER', measure: 'COUNT', amount: '3', cycle: 'DAY' }] },
      'Each account: at most 3 operations in each day (UTC).',
    ],
    [
      { limits: [{ scope: 'PAYMASTER', measure: 'USD', amount: '5000', cycle: 'MONTH' }] },
      'All accounts together: at most 5,000 USD of gas in each month (UTC).',
    ],
    [
      { limits: [{ scope: 'OPERATION', measure: 'WEI', amount: '20000000000000000' }] },
      'One operation: at most 0.02 ETH of gas.',
    ],
  ])('says %j in words', (data, sentence) => {
    expect(rules(data)).toEqual([sentence]);
  });

  it('says when a policy is in force', () => {
    expect(rules({ startsAt: 1_769_861_100, endsAt: 1_769_961_100 })[0]).toMatch(/^In force from .+ until .+\.$/);
  });

  it('says what the other kinds of policies do', () => {
    const limit = {
      type: 'SMART_ACCOUNT',
      cycleDuration: { value: 2, unit: 'day' },
      thresholdType: 'NATIVE_ASSET',
      threshold: '0.5',
    };
    expect(sentencesOf('PAYMASTER_SA_LIMIT', limit, 'ETH')).toEqual([
      'Each account: at most 0.5 ETH of gas in every 2 days.',
    ]);
    expect(sentencesOf('WEBHOOK', { url: 'https://a.test' }, 'ETH')[0]).toContain('https://a.test');
    expect(sentencesOf('WALLET_DEPLOYMENT', {}, 'ETH')[0]).toContain('Deployments');
  });
});
