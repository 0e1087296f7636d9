import * as fc from 'fast-check';
import { HEX_PATTERN, isHexBytes, isHexText } from './hex';

const PATTERN = new RegExp(HEX_PATTERN);
const DIGITS = '0123456789abcdefABCDEF';
/** Characters whose low byte is a digit, among others. */
const STRANGERS = [
  'g',
  'G',
  ' ',
  '\n',
  '\0',
  '/',
  ':',
  '@',
  '`',
  '\u00b2',
  '\u0130',
  '\u0131',
  '\u0230',
  '\ud800',
  '\u{1f600}',
];

it('says of texts of any length what the pattern says, wherever a character is that is no digit', () => {
  const aText = fc.record({
    begin: fc.constantFrom('0x', '0x', '0x', '0X', 'x0', '00'),
    digits: fc.array(fc.constantFrom(...DIGITS), { maxLength: 600, size: 'max' }),
    stranger: fc.option(fc.constantFrom(...STRANGERS)),
    place: fc.nat({ max: 600 }),
  });
  fc.assert(
    fc.property(aText, ({ begin, digits, stranger, place }) => {
      const at = place % (digits.length + 1);
      const text = [begin, ...digits.slice(0, at), stranger ?? '', ...digits.slice(at)].join('');
      expect(isHexText(text)).toBe(PATTERN.test(text));
      expect(isHexBytes(text)).toBe(PATTERN.test(text) && text.length % 2 === 0);
    }),
    { numRuns: 500 },
  );
});
