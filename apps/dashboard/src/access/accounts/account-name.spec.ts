import { parseAccountName } from './account-name';

describe('parseAccountName', () => {
  it('trims the name and brings it to NFC', () => {
    expect(parseAccountName('  Cafe\u0301 ')).toBe('Caf\u00e9');
  });

  it.each([
    ['nothing but space', ' \n ', 'name must be 1 to 100 characters long'],
    ['more than 100 characters', 'a'.repeat(101), 'name must be 1 to 100 characters long'],
    ['a line break', 'Team\nNonce: 00', 'name must not contain control characters'],
    ['an escape sequence', 'Team\u001b[2J', 'name must not contain control characters'],
    ['a change of direction', 'Team\u202egnihton', 'name must not contain control characters'],
    ['a zero-width space', 'Te\u200bam', 'name must not contain control characters'],
  ])('refuses %s', (_title, text, problem) => {
    expect(() => parseAccountName(text)).toThrow(problem);
  });
});
