import { presentPlace } from '../../platform/http/page-cursor';
import { RequestPipe } from '../../platform/http/request.pipe';
import { filterOf, OperationPageQuery, OperationsQuery, UsageQuery, usagePeriodOf } from './operation-query';

const pipe = new RequestPipe();
const read = async <T>(metatype: new () => T, query: object): Promise<T> =>
  (await pipe.transform(query, { type: 'query', metatype })) as T;

describe('OperationsQuery', () => {
  const parse = async (query: object) => filterOf(await read(OperationsQuery, query), { paymasterId: 'p' });

  it('reads every filter', async () => {
    const sender = `0x${'aB'.repeat(20)}`;
    const userOpHash = `0x${'AB'.repeat(32)}`;
    expect(
      await parse({
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
    ['search', '0x12'],
    ['search', 'a b'],
    ['search', ['a']],
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
  ])('refuses %s = %j and names it', (name, value) => expect(parse({ [name]: value })).rejects.toThrow(name));

  it('refuses a period that is empty', async () => {
    await expect(parse({ from: '2026-01-02', to: '2026-01-02' })).rejects.toThrow('from must be before to');
  });
});

describe('OperationPageQuery', () => {
  it('gives back the place that was answered', async () => {
    const cursor = { atUs: '1795225585123456', id: '6a9ac2c6-6d0c-4f0e-8f1e-6f0a3f6a9f00' };
    expect(await read(OperationPageQuery, { cursor: presentPlace(cursor) })).toEqual({
      limit: 50,
      cursor,
      brief: false,
    });
  });

  it.each(['', 'x', 'MQ', Buffer.from('1.x').toString('base64url'), ['a'], 5])('refuses the cursor %j', (cursor) =>
    expect(read(OperationPageQuery, { cursor })).rejects.toThrow('cursor must be one that was answered'),
  );

  it.each(['0', '201', '-1', '1.5', 'all', ''])('refuses a limit of %s', (limit) =>
    expect(read(OperationPageQuery, { limit })).rejects.toThrow('limit'),
  );

  it.each(['wat', 'constructor', '__proto__'])('refuses the parameter %s, before all else that is wrong', (name) =>
    expect(read(OperationPageQuery, JSON.parse(`{"limit":"0","${name}":"1"}`) as object)).rejects.toThrow(
      `the query parameter "${name}" is not known`,
    ),
  );
});

describe('usagePeriodOf', () => {
  const periodOf = async (query: object) => usagePeriodOf(await read(UsageQuery, query));

  it('takes the last day by the hour where nothing is said', async () => {
    const { from, to, interval } = await periodOf({});
    expect(interval).toBe('hour');
    expect(to.getTime() - from.getTime()).toBe(86_400_000);
  });

  it('refuses a series that is too long', async () => {
    await expect(periodOf({ from: '2020-01-01', to: '2026-01-01' })).rejects.toThrow('2000 points');
    expect((await periodOf({ from: '2021-01-01', to: '2026-01-01', interval: 'day' })).interval).toBe('day');
  });

  it('splits whole days, of a quarter at most', async () => {
    expect(await periodOf({ by: 'sender' })).toMatchObject({ interval: 'day' });
    await expect(periodOf({ by: 'colour' })).rejects.toThrow(
      'by must be one of contract, method, policy, sender, mode, key, token',
    );
    await expect(periodOf({ by: ['sender'] })).rejects.toThrow('by');
    await expect(periodOf({ by: 'sender', interval: 'hour' })).rejects.toThrow('interval');
    await expect(periodOf({ by: 'sender', eachDay: '1' })).rejects.toThrow('eachDay must be true or false');
    await expect(periodOf({ eachDay: 'true' })).rejects.toThrow('eachDay needs by');
    await expect(periodOf({ by: 'sender', from: '2026-01-01', to: '2026-06-01' })).rejects.toThrow('92 days');
  });
});
