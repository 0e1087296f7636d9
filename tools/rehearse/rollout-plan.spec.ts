import { rolloutBounds, rolloutStep, type RolloutPod } from './rollout-plan';

const pods = (text: string): RolloutPod[] =>
  [...text].map((letter) => ({
    revision: letter.toLowerCase() === 'o' ? 1 : 2,
    // Capitals are available.
    available: letter !== letter.toLowerCase(),
  }));
const step = (bounds: Parameters<typeof rolloutBounds>, text: string): string => {
  const { create, remove } = rolloutStep(rolloutBounds(...bounds), { revision: 2, pods: pods(text) });
  return `+${create} -${remove.length}`;
};

describe('rolloutBounds', () => {
  it('rounds shares up for the surge and down for what may be missing', () => {
    expect(rolloutBounds(3)).toEqual({ replicas: 3, maxSurge: 1, maxUnavailable: 0 });
    expect(rolloutBounds(8, { maxSurge: '30%', maxUnavailable: '30%' })).toMatchObject({
      maxSurge: 3,
      maxUnavailable: 2,
    });
  });

  it('never stands still for want of both', () => {
    expect(rolloutBounds(2, { maxSurge: 0, maxUnavailable: 0 }).maxUnavailable).toBe(1);
  });
});

describe('rolloutStep', () => {
  const SURGE = [3, { maxSurge: 1, maxUnavailable: 0 }] as const;

  it('makes as many as wanted when there is none', () => expect(step([...SURGE], '')).toBe('+3 -0'));

  it('goes one up, one down, and waits in between until the new one is available', () => {
    const stages = ['OOO', 'OOOn', 'OOON', 'OON', 'OONn', 'NNN'];
    expect(stages.map((stage) => step([...SURGE], stage))).toEqual([
      '+1 -0',
      '+0 -0',
      '+0 -1',
      '+1 -0',
      '+0 -0',
      '+0 -0',
    ]);
  });

  it('takes a broken old one away first, and none that is needed', () => {
    const { remove } = rolloutStep(rolloutBounds(...SURGE), { revision: 2, pods: pods('OoNN') });
    expect(remove.map(({ available }) => available)).toEqual([false]);
    expect(step([...SURGE], 'OOn')).toBe('+1 -0');
  });

  it('goes below the wanted number where that is allowed', () => {
    expect(step([3, { maxSurge: 0, maxUnavailable: 1 }], 'OOO')).toBe('+0 -1');
    expect(step([3, { maxSurge: 0, maxUnavailable: 1 }], 'OO')).toBe('+1 -0');
  });
});
