import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { AccountTurns } from './account-turns';
import { TooManyRequestsError } from '../../platform/http/dashboard-errors';

const MIB = 2 ** 20;

/** The part of a response that the code under test reads. */
function aResponse(): ServerResponse {
  const socket = Object.assign(new EventEmitter(), { closed: false });
  return Object.assign(new EventEmitter(), { req: { socket } }) as unknown as ServerResponse;
}

describe('AccountTurns', () => {
  let nowMs: number;
  let turns: AccountTurns;
  let begun: string[];
  beforeEach(() => {
    jest.useFakeTimers();
    nowMs = 0;
    begun = [];
    turns = new AccountTurns(() => nowMs);
  });
  afterEach(() => jest.useRealTimers());

  /** @returns what ends the request, once it has begun */
  const begin = async (name: string, accountId = 'a', bytes = 10_000): Promise<() => void> => {
    const done = await turns.begin({ accountId, bytes, response: aResponse() });
    begun.push(name);
    return () => done(bytes);
  };
  const pass = async (ms: number): Promise<void> => {
    nowMs += ms;
    await jest.advanceTimersByTimeAsync(ms);
  };

  it('start one at a time, in the order of arrival, each after a pause of nine times the last one’s duration', async () => {
    const first = await begin('first');
    const second = begin('second');
    void begin('third');
    await pass(20);
    first();
    await pass(179);
    expect(begun).toEqual(['first']);
    await pass(1);
    expect(begun).toEqual(['first', 'second']);
    (await second)();
    await pass(1_000);
    expect(begun).toEqual(['first', 'second', 'third']);
  });

  it('are separate for each account', async () => {
    await begin('one');
    await begin('other', 'b');
    expect(begun).toEqual(['one', 'other']);
  });

  it('pause for at most a second after a slow request, and let at most 4 MiB through in a second', async () => {
    const slow = await begin('slow');
    void begin('next', 'a', MIB).then((done) => done());
    void begin('last');
    await pass(5_000);
    slow();
    await pass(1_000);
    expect(begun).toEqual(['slow', 'next']);
    await pass(249);
    expect(begun).toEqual(['slow', 'next']);
    await pass(2);
    expect(begun).toEqual(['slow', 'next', 'last']);
  });

  it.each([
    ['sixty-four', 64, 10_000],
    ['four of the largest', 4, MIB],
  ])('wait as %s of an account, and no more', async (_what, most, bytes) => {
    const done = await begin('first');
    const waiting = Array.from({ length: most }, () => turns.begin({ accountId: 'a', bytes, response: aResponse() }));
    await expect(turns.begin({ accountId: 'a', bytes, response: aResponse() })).rejects.toThrow(TooManyRequestsError);
    await begin('other', 'b');
    done();
    await pass(10);
    await waiting[0];
    waiting.push(turns.begin({ accountId: 'a', bytes, response: aResponse() }));
    await expect(turns.begin({ accountId: 'a', bytes, response: aResponse() })).rejects.toThrow(TooManyRequestsError);
  });

  it('end for a request whose client closes its connection', async () => {
    const done = await begin('first');
    const response = aResponse();
    const left = turns.begin({ accountId: 'a', bytes: 4 * MIB, response });
    void begin('refused').catch(() => begun.push('none'));
    response.emit('close');
    await expect(left).rejects.toThrow(TooManyRequestsError);
    void begin('second');
    done();
    await pass(1_000);
    expect(begun).toEqual(['first', 'none', 'second']);
  });

  it('are forgotten when the pause of the account is over', async () => {
    (await begin('first'))();
    await pass(10);
    await begin('again');
    expect(begun).toEqual(['first', 'again']);
  });
});
