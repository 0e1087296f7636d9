import { ownPath, text } from './search-params';

describe('ownPath', () => {
  it('leads back to a path of this page', () => {
    expect(ownPath('/a/1/p/2/operations?state=refused')).toBe('/a/1/p/2/operations?state=refused');
  });

  it.each([
    undefined,
    '',
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    'javascript:alert(1)',
    '/sign-in',
  ])('leads home from %s', (from) => {
    expect(ownPath(from)).toBe('/');
  });
});

it('text keeps what is text', () => {
  expect([text('a'), text(12), text(''), text({}), text(undefined)]).toEqual([
    'a',
    '12',
    undefined,
    undefined,
    undefined,
  ]);
});
