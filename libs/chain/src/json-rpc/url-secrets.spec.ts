import { UrlSecrets } from './url-secrets';

describe('UrlSecrets', () => {
  it.each([
    [
      'https://node.example/v2/0123456789abcdef',
      'POST /v2/0123456789abcdef is too much',
      'POST /v2/[redacted] is too much',
    ],
    ['https://node.example/rpc?apikey=k3y-k3y', 'apikey k3y-k3y is unknown', 'apikey [redacted] is unknown'],
    ['https://user:pass%2Fword@node.example/', 'pass/word and pass%2Fword', '[redacted] and [redacted]'],
    ['https://node.example/a1b2c3/a1b2c3d4', 'a1b2c3d4', '[redacted]'],
    ['https://node.example/rpc/v2?x=1', 'rpc v2 1 execution reverted', 'rpc v2 1 execution reverted'],
    ['https://node.example/%zz%zz%zz', '/%zz%zz%zz', '/[redacted]'],
  ])('of %s are hidden in "%s"', (url, text, expected) => {
    expect(new UrlSecrets(new URL(url)).hideIn(text)).toBe(expected);
  });
});
