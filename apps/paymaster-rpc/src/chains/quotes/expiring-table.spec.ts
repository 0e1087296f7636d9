import { ExpiringTable } from './expiring-table';

const until = (validUntilSeconds: number) => ({ validUntilSeconds });

describe('ExpiringTable', () => {
  it('removes entries that expired before a second, once, and keeps the rest', () => {
    const table = new ExpiringTable();
    table.set('a', until(10));
    table.set('b', until(11));
    expect(table.takeEndedBefore(11)).toEqual([until(10)]);
    expect(table.takeEndedBefore(11)).toEqual([]);
    expect([table.get('a'), table.get('b')]).toEqual([undefined, until(11)]);
  });

  it('moves an entry that is set again to its new end', () => {
    const table = new ExpiringTable();
    table.set('a', until(10));
    table.set('a', until(20));
    expect(table.size).toBe(1);
    expect(table.takeEndedBefore(15)).toEqual([]);
    expect(table.takeEndedBefore(21)).toEqual([until(20)]);
    expect(table.size).toBe(0);
  });

  it('returns a deleted entry and forgets its end', () => {
    const table = new ExpiringTable();
    table.set('a', until(10));
    expect(table.delete('a')).toEqual(until(10));
    expect(table.delete('a')).toBeUndefined();
    expect(table.takeEndedBefore(100)).toEqual([]);
  });
});
