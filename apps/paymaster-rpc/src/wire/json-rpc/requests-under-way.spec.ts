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

  it('reports a request that is not answered within five seconds, once', () => {
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

  it('gives a request a deadline that is never after the look that finds it late', () => {
    for (let waited = 0; waited < 250; waited += 83) {
      const request = {};
      const untilMs = requests.begin(request);
      let answeredMs: number | undefined;
      for (let ms = 0; ms < 5_500; ms++) {
        jest.advanceTimersByTime(1);
        if (late.includes(request)) answeredMs ??= performance.now();
      }
      expect(untilMs).toBeLessThanOrEqual(answeredMs!);
      expect(untilMs).toBeGreaterThan(answeredMs! - 250);
      jest.advanceTimersByTime(83);
    }
  });

  it('refuses requests beyond two thousand under way, until one is answered', () => {
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

  describe('after it stood still for five seconds', () => {
    let clock: jest.SpyInstance<number>;
    const overloaded = expect.objectContaining({ reason: 'OVERLOADED' });

    beforeEach(() => {
      jest.advanceTimersByTime(1_000);
      clock = jest.spyOn(performance, 'now');
    });
    afterEach(() => clock.mockRestore());

    /** Moves the clock while the event loop is blocked. */
    function standStill(ms: number): void {
      clock.mockReturnValue(performance.now() + ms);
    }

    const isRefused = (): boolean => {
      try {
        requests.assertRoom();
        return false;
      } catch (error) {
        expect(error).toEqual(overloaded);
        return true;
      }
    };

    it('refuses requests for a second', () => {
      standStill(4_900);
      expect(isRefused()).toBe(false);
      standStill(400);
      expect(isRefused()).toBe(true);
      // Connections that waited in the kernel are read only now.
      jest.advanceTimersByTime(250);
      expect(isRefused()).toBe(true);
      jest.advanceTimersByTime(750);
      expect(isRefused()).toBe(true);
      jest.advanceTimersByTime(500);
      expect(isRefused()).toBe(false);
    });

    it('then refuses requests until none arrived for a while', () => {
      standStill(30_000);
      for (let looks = 0; looks < 12; looks++) {
        jest.advanceTimersByTime(250);
        expect(isRefused()).toBe(true);
      }
      jest.advanceTimersByTime(500);
      expect(isRefused()).toBe(false);
    });

    it('does not refuse for longer than a client waits', () => {
      standStill(30_000);
      let refused = 0;
      for (let looks = 0; looks < 60; looks++) {
        jest.advanceTimersByTime(250);
        if (isRefused()) refused += 1;
      }
      expect(refused * 250).toBeLessThanOrEqual(5_250);
      expect(isRefused()).toBe(false);
    });

    it('reports all requests under way, and does not begin requests that were half read', () => {
      const [one, other] = [{}, {}];
      requests.begin(one);
      standStill(5_300);
      expect(() => requests.begin(other)).toThrow(overloaded);
      jest.advanceTimersByTime(250);
      expect(late).toEqual([one]);
    });

    it('serves later requests as before', () => {
      standStill(30_000);
      jest.advanceTimersByTime(1_500);
      const next = {};
      requests.begin(next);
      jest.advanceTimersByTime(4_750);
      expect(late).toEqual([]);
      jest.advanceTimersByTime(250);
      expect(late).toEqual([next]);
    });
  });
});
