import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { AreOrigins, IsName } from './text-rules';

class Named {
  @IsName()
  name!: string;
}

const problemsOf = (name: string): string[] =>
  validateSync(plainToInstance(Named, { name })).flatMap(({ constraints }) => Object.values(constraints ?? {}));

const shown = (codePoint: number): string => `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;

describe('IsName', () => {
  it.each(['Äpfel & Birnen', '日本 2', 'שלום', '🚀 to the "moon"', 'a\u0301', '❤\uFE0F'])('accepts %s', (name) => {
    expect(problemsOf(name)).toEqual([]);
  });

  it.each(
    [
      [0x00, 0x0a, 0x7f, 0x85, 0xad, 0x61c, 0x180e],
      [0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2060, 0xfeff],
      [0x2028, 0x2029, 0x202a, 0x202e, 0x2066, 0x2069, 0xd800, 0xe0041],
    ].flatMap((codePoints) => codePoints.map((codePoint) => [shown(codePoint), codePoint] as const)),
  )('refuses %s inside a name', (_title, codePoint) => {
    expect(problemsOf(`a${String.fromCodePoint(codePoint)}b`)).toEqual(['name must not contain control characters']);
  });

  it.each(['👩\u200D🚀 fuel', '👩🏽\u200D🚀', '❤\uFE0F\u200D🔥'])('accepts the joined emoji %s', (name) => {
    expect(problemsOf(name)).toEqual([]);
  });

  it.each(['👩\u200D', '\u200D🚀', '👩\u200D\u200D🚀', '👩\u200Da', '👩\u200B🚀'])(
    'refuses a joiner that joins nothing: %j',
    (name) => {
      expect(problemsOf(name)).toEqual(['name must not contain control characters']);
    },
  );
});

class WithOrigins {
  @AreOrigins()
  origins!: string[];
}

const originProblemsOf = (...origins: string[]): string[] =>
  validateSync(plainToInstance(WithOrigins, { origins })).flatMap(({ constraints }) =>
    Object.values(constraints ?? {}),
  );

describe('AreOrigins', () => {
  it.each(['*', 'https://app.example', 'http://localhost:3000', 'https://app.example:80', 'http://127.0.0.1'])(
    'accepts %s',
    (origin) => expect(originProblemsOf(origin)).toEqual([]),
  );

  it.each([
    ['upper case', 'https://App.Example'],
    ['the default port of https', 'https://app.example:443'],
    ['the default port of http', 'http://app.example:80'],
    ['a port with leading zeros', 'https://app.example:08443'],
    ['a port that does not exist', 'https://app.example:99999'],
    ['a trailing slash', 'https://app.example/'],
    ['another scheme', 'ftp://app.example'],
    ['no scheme', 'app.example'],
    ['a shortened IP address', 'http://127.1'],
    ['a wildcard host', 'https://*.app.example'],
    ['an empty text', ''],
  ])('refuses %s, naming the value', (_title, origin) => {
    expect(originProblemsOf('https://good.example', origin)).toEqual([
      `origins: ${JSON.stringify(origin)} must be * or an origin as browsers send it, ` +
        'such as https://app.example.org: lower case, no path, no default port',
    ]);
  });

  it('quotes no more than the start of a long value', () => {
    expect(originProblemsOf('x'.repeat(10_000))[0]).toContain(`"${'x'.repeat(300)}" must be`);
  });
});
