import type { Hex } from './hex';
import { delegateIn } from './eip7702';

const DELEGATE: Hex = '0xe6cae83bde06e4c305530e199d7217f42808555b';

describe('delegateIn', () => {
  it.each(['', 'upper case'])('should find the delegate in delegation code %s', (form) => {
    const digits = DELEGATE.slice(2);
    expect(delegateIn(`0xef0100${form ? digits.toUpperCase() : digits}`)).toBe(DELEGATE);
  });

  it.each<[string, Hex]>([
    ['no code', '0x'],
    ['a byte too many', `0xef0100${DELEGATE.slice(2)}00`],
    ['a byte too few', `0xef0100${DELEGATE.slice(4)}`],
    ['another version of the prefix', `0xef0101${DELEGATE.slice(2)}`],
  ])('should find none in %s', (_title, code) => {
    expect(delegateIn(code)).toBeUndefined();
  });
});
