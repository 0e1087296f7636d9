import { mergeChanges } from './merge-changes';

const start = { name: 'a', limits: [1], senders: { deny: ['x'] } as object | undefined };

describe('mergeChanges', () => {
  it('keeps the changes of both, also what somebody took away', () => {
    const stored = { ...start, limits: [1, 2] };
    const mine = { name: 'b', limits: [1] } as typeof start;
    expect(mergeChanges(start, stored, mine)).toEqual({ merged: { name: 'b', limits: [1, 2] }, both: [] });
  });

  it('names what both changed, and keeps mine there', () => {
    const result = mergeChanges(
      start,
      { ...start, limits: [2], name: 'same' },
      { ...start, limits: [3], name: 'same' },
    );
    expect(result).toEqual({ merged: { ...start, limits: [3], name: 'same' }, both: ['limits'] });
  });
});
