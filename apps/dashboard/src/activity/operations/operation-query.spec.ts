import { parseFilter, parsePage, parseUsageQuery, presentCursor } from './operation-query';
import { inUsd } from './operation.view';

describe('parseFilter', () => {
  const parse = (query: Record<string, unknown>) => parseFilter(query, { paymasterId: 'p' });

  it('reads every filter', () => {
    const sender = `0x${'aB'.repeat(20)}`;
    const userOpHash = `0x${'AB'.repeat(32)}`;
    expect(
      parse({
        state: 'settled',
        reason: 'METHOD_NOT_WHITELISTED',
        sender,
        userOpHash,
        requestId: 'Req_1.a-b',
        transactionHash: userOpHash,
        contract: sender,
        method: '0xA9059CBB',
        policyId: '6A9AC2C6-6d0c-4f0e-8f1e-6f0a3f6a9f00',
        from: '2026-01-01',
        to: '2026-01-01T00:00:01Z',
      }),
    ).toEqual({
      owner: { paymasterId: 'p' },
      state: 'settled',
      reason: 'METHOD_NOT_WHITELISTED',
      sender: sender.toLowerCase(),
      userOpHash: userOpHash.toLowerCase(),
      requestId: 'Req_1.a-b',
      transactionHash: userOpHash.toLowerCase(),
      contract: sender.toLowerCase(),
      method: '0xa9059cbb',
      policyId: '6a9ac2c6-6d0c-4f0e-8f1e-6f0a3f6a9f00',
      from: new Date('2026-01-01T00:00:00Z'),
      to: new Date('2026-01-01T00:00:01Z'),
    });
  });

  it.each([
    ['state', 'open'],
    ['state', ['settled', 'voided']],
    ['state', 'constructor'],
    ['reason', "'; DROP TABLE operations"],
    ['sender', '0x12'],
    ['sender', ['0x12']],
    ['userOpHash', '0x'],
    ['requestId', 'a b'],
    ['requestId', ['a']],
    ['transactionHash', `0x${'g'.repeat(64)}`],
    ['contract', 'vitalik.eth'],
    ['method', 'transfer(address,uint256)'],
    ['method', '0xa9059c'],
    ['policyId', '1'],
    ['from', 'yesterday'],
    ['from', '2026-13-01'],
    ['to', '2026-01-01T00:00:00+02:00'],
    ['to', { toString: 1 }],
    ['wat', '1'],
  ])('refuses %s = %j and names it', (name, value) => expect(() => parse({ [name]: value })).toThrow(name));

  it('refuses a period that is empty', () => {
    expect(() => parse({ from: '2026-01-02', to: '2026-01-02' })).toThrow('from must be before to');
  });
});

describe('parsePage', () => {
  it('gives back the place that was answered', () => {
    const cursor = { createdAtUs: '1795225585123456', id: '6a9ac2c6-6d0c-4f0e-8f1e-6f0a3f6a9f00' };
    expect(parsePage({ cursor: presentCursor(cursor) })).toEqual({ limit: 50, cursor });
  });

  it.each(['', 'x', 'MQ', Buffer.from('1.x').toString('base64url'), ['a'], 5])('refuses the cursor %j', (cursor) =>
    expect(() => parsePage({ cursor })).toThrow('cursor'),
  );

  it.each(['0', '201', '-1', '1.5', 'all', ''])('refuses a limit of %s', (limit) =>
    expect(() => parsePage({ limit })).toThrow('limit'),
  );
});

describe('parseUsageQuery', () => {
  it('takes the last day by the hour where nothing is said', () => {
    const { from, to, interval } = parseUsageQuery({});
    expect(interval).toBe('hour');
    expect(to.getTime() - from.getTime()).toBe(86_400_000);
  });

  it('refuses a series that is too long', () => {
    expect(() => parseUsageQuery({ from: '2020-01-01', to: '2026-01-01' })).toThrow('2000 points');
    expect(parseUsageQuery({ from: '2021-01-01', to: '2026-01-01', interval: 'day' }).interval).toBe('day');
  });

  it('splits whole days, of a quarter at most', () => {
    expect(parseUsageQuery({ by: 'sender' })).toMatchObject({ by: 'sender', interval: 'day' });
    expect(() => parseUsageQuery({ by: 'colour' })).toThrow('by must be one of contract, method, policy, sender');
    expect(() => parseUsageQuery({ by: ['sender'] })).toThrow('by');
    expect(() => parseUsageQuery({ by: 'sender', interval: 'hour' })).toThrow('interval');
    expect(() => parseUsageQuery({ by: 'sender', from: '2026-01-01', to: '2026-06-01' })).toThrow('92 days');
  });
});

describe('inUsd', () => {
  it.each([
    [10n ** 18n, '3000', '3000'],
    [5n * 10n ** 14n, '3000.123456789', '1.500061'],
    [1n, '3000', '0'],
    [0n, '0.5', '0'],
  ])('%s wei at %s are %s', (wei, price, usd) => expect(inUsd(wei, price)).toBe(usd));
});
