import { OldestCopyInUse } from './oldest-copy-in-use';

describe('OldestCopyInUse', () => {
  it('is the highest age of the last minute, and of the one before', () => {
    const oldest = new OldestCopyInUse();
    expect(oldest.seconds(0)).toBe(0);
    oldest.saw(3_000, 1_000);
    oldest.saw(9_000, 2_000);
    oldest.saw(1_000, 3_000);
    expect(oldest.seconds(4_000)).toBe(9);
    oldest.saw(2_000, 70_000);
    expect(oldest.seconds(71_000)).toBe(9);
    oldest.saw(1_000, 131_000);
    expect(oldest.seconds(131_000)).toBe(2);
  });

  it('forgets after two minutes without use', () => {
    const oldest = new OldestCopyInUse();
    oldest.saw(9_000, 0);
    expect(oldest.seconds(121_000)).toBe(0);
  });
});
