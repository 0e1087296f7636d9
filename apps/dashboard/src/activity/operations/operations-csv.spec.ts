import { csvField } from './operations-csv';

describe('csvField', () => {
  it.each([
    [null, ''],
    ['plain', 'plain'],
    [5, '5'],
    [-5, '-5'],
    [false, 'false'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    ['=1+1', "'=1+1"],
    ['@cmd', "'@cmd"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['=HYPERLINK("x","y")', '"\'=HYPERLINK(""x"",""y"")"'],
  ])('writes %j as %j', (value, text) => expect(csvField(value)).toBe(text));
});
