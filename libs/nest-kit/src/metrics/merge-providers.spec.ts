import { mergeProviders } from './merge-providers';

const calls = { answered: 2, failed: 1 };

describe('mergeProviders', () => {
  it('says how far each provider is behind the newest block of any provider', () => {
    const views = mergeProviders({ chainId: 10, use: 'chain' }, [
      { host: 'a', state: 'usable', headNumber: 100n, calls },
      { host: 'b', state: 'lagging', headNumber: 97n, calls },
      { host: 'c', state: 'usable', headNumber: null, calls },
    ]);
    expect(views.map(({ host, lagBlocks }) => [host, lagBlocks])).toEqual([['a', 0], ['b', 3], ['c', undefined]]); // prettier-ignore
    expect(views.every(({ chainId, isUp }) => chainId === 10 && isUp)).toBe(true);
  });

  it('makes one view of a host, which is down when one of its URLs was given up', () => {
    const views = mergeProviders({ chainId: 10, use: 'chain' }, [
      { host: 'a', state: 'open', headNumber: 100n, calls },
      { host: 'a', state: 'usable', calls },
      { host: 'b', state: 'wrongChain', calls },
    ]);
    expect(views).toEqual([
      { chainId: 10, use: 'chain', host: 'a', isUp: false, lagBlocks: 0, calls: { answered: 4, failed: 2 } },
      { chainId: 10, use: 'chain', host: 'b', isUp: false, lagBlocks: undefined, calls },
    ]);
  });
});
