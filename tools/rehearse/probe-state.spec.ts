import { BackOff } from './back-off';
import { probeTiming, ProbeState } from './probe-state';

const answer = (state: ProbeState, ...answers: readonly boolean[]): boolean[] =>
  answers.map((succeeded) => state.record(succeeded));

describe('ProbeState', () => {
  it('is ready with the first success, and no more after as many failures in a row as allowed', () => {
    const state = new ProbeState({ failureThreshold: 2, successThreshold: 1 }, false);
    expect(answer(state, false, true, false, true, false, false, true)).toEqual([
      ...[false, true, true, true, true, false, true],
    ]);
  });

  it('doubts what lives only after all of the failures', () => {
    const state = new ProbeState({ failureThreshold: 3, successThreshold: 1 }, true);
    expect(answer(state, false, false, true, false, false, false)).toEqual([true, true, true, true, true, false]);
  });

  it('waits for several successes where that is asked for', () => {
    const state = new ProbeState({ failureThreshold: 1, successThreshold: 2 }, false);
    expect(answer(state, true, false, true, true)).toEqual([false, false, false, true]);
  });
});

describe('probeTiming', () => {
  it("has Kubernetes' own numbers where the manifest says none", () => {
    expect(probeTiming({ httpGet: { path: '/', port: 1 }, periodSeconds: 3 })).toEqual({
      initialDelaySeconds: 0,
      periodSeconds: 3,
      timeoutSeconds: 1,
      failureThreshold: 3,
      successThreshold: 1,
    });
  });
});

describe('BackOff', () => {
  it('starts again at once, then waits longer each time, until a container has run for ten minutes', () => {
    const backOff = new BackOff();
    const waits = [1, 1, 1, 600_000, 1].map((ranMs) => backOff.afterEnd(ranMs));
    expect(waits).toEqual([0, 10_000, 20_000, 0, 10_000]);
  });
});
