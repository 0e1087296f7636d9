import { RequestsUnderWay } from './requests-under-way';

describe('RequestsUnderWay', () => {
  let late: object[];
  let requests: RequestsUnderWay<object>;

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick'] });
    late = [];
    requests = new RequestsUnderWay((request) => late.push(request));
  });
  afterEach(() => {
    requests.stop();
    jest.useRealTimers();
  });

  it('tells of a request that is not answered within five seconds, once', () => {
    const [slow, quick, later] = [{}, {}, {}];
    requests.begin(slow);
    requests.begin(quick);
    expect(requests.end(quick)).toBe(true);
    jest.advanceTimersByTime(2_000);
    requests.begin(later);
    jest.advanceTimersByTime(2_750);
    expect(late).toEqual([]);
    jest.advanceTimersByTime(250);
    expect(late).toEqual([slow]);
    expect(requests.end(slow)).toBe(false);
    jest.advanceTimersByTime(10_000);
    expect(late).toHaveLength(2);
    expect(late[1]).toBe(later);
  });

  it('refuses what comes beyond two thousand at once, until one is answered', () => {
    const many = Array.from({ length: 2_000 }, () => ({}));
    for (const request of many) {
      requests.assertRoom();
      requests.begin(request);
    }
    const overloaded = expect.objectContaining({ reason: 'OVERLOADED', retryAfterSeconds: 1 });
    expect(() => requests.assertRoom()).toThrow(overloaded);
    requests.end(many[0]!);
    expect(() => requests.assertRoom()).not.toThrow();
  });

  it('refuses what it reads after it stood still for five seconds, and nothing after the next look', () => {
    jest.advanceTimersByTime(1_000);
    // The clock goes on while nothing runs.
    const now = performance.now();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(now + 4_900);
    expect(() => requests.assertRoom()).not.toThrow();
    clock.mockReturnValue(now + 5_300);
    expect(() => requests.assertRoom()).toThrow(expect.objectContaining({ reason: 'OVERLOADED' }));
    jest.advanceTimersByTime(250);
    expect(() => requests.assertRoom()).not.toThrow();
    clock.mockRestore();
  });
});
