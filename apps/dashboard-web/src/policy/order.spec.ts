import { inOrder, moved } from './order';

const rules = (_id: string, priority?: number) => ({ _id, policyType: 'RULES', policyData: { priority } });
const WEBHOOK = { _id: 'webhook', policyType: 'WEBHOOK', policyData: { url: 'https://example.org' } };

describe('inOrder', () => {
  it('puts what has no priority first, then rules by their priority, which is 100 where none is said', () => {
    const list = inOrder([rules('c', 101), rules('b'), rules('a', 99), WEBHOOK]);
    expect(list.map(({ _id }) => _id)).toEqual(['webhook', 'a', 'b', 'c']);
  });
});

describe('moved', () => {
  it('exchanges the priorities of two neighbours', () => {
    expect(moved([rules('b', 200), WEBHOOK, rules('a', 100), rules('c', 300)], 'b', -1)).toEqual([
      { policyId: 'b', priority: 100 },
      { policyId: 'a', priority: 200 },
    ]);
  });

  it('gives all of them other priorities where two have the same', () => {
    expect(moved([rules('a', 20), rules('b', 20), rules('c', 30)], 'b', 1)).toEqual([
      { policyId: 'a', priority: 10 },
      { policyId: 'c', priority: 20 },
      { policyId: 'b', priority: 30 },
    ]);
  });

  it('moves nothing beyond the ends, and nothing that has no priority', () => {
    const list = [rules('a', 1), rules('b', 2), WEBHOOK];
    expect([moved(list, 'a', -1), moved(list, 'b', 1), moved(list, 'webhook', 1)]).toEqual([[], [], []]);
  });
});
