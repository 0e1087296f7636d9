import { linesOf } from './lines-of';

describe('linesOf', () => {
  it('says a policy in sentences', () => {
    const limits = [{ scope: 'USER', measure: 'COUNT', amount: '2', cycle: 'DAY' }];
    const policy = { name: 'Two a day', policyType: 'RULES', active: false, policyData: { limits } };
    expect(linesOf('policy', policy, 'ETH')).toEqual([
      'Name: Two a day',
      'Paused.',
      'Each account: at most 2 operations in each day (UTC).',
    ]);
  });

  it('names the addresses that a sentence counts only', () => {
    const policyData = { priority: 5, senders: { deny: ['0xab'] } };
    const policy = { name: 'x', policyType: 'RULES', active: true, policyData };
    expect(linesOf('policy', policy, 'ETH')).toEqual([
      ...['Name: x', 'Active.', 'The listed account may not use it.', 'Accounts deny: 0xab', 'Priority: 5'],
    ]);
  });

  it('says all else fact by fact, in words, with a line for each part of a list', () => {
    const token = {
      symbol: 'USDx',
      price: { feed: { address: '0xab', heartbeatSeconds: 60 }, apiId: null },
      chargingWays: ['permit', 'batchApproval'],
      former: [],
      logoUrl: '',
      active: true,
    };
    expect(linesOf('token', token, 'ETH')).toEqual([
      'Symbol: USDx',
      'Price feed address: 0xab',
      'Price feed heartbeat seconds: 60',
      'Price API ID: none',
      'Charging ways: permit',
      'Charging ways: batch approval',
      'Former: none',
      'Logo URL: none',
      'Active: yes',
    ]);
  });

  it('says nothing of what was not there', () => {
    expect(linesOf('contract', null, 'ETH')).toEqual([]);
  });
});
