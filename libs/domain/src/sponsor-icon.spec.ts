import { isSponsorIcon, MAX_SPONSOR_ICON_LENGTH } from './sponsor-icon';

const HEADS = {
  png: '89504e470d0a1a0a0000000d49484452',
  jpeg: 'ffd8ffe000104a46',
  gif: '474946383961010001',
  webp: '52494646240000005745425056503820',
} as const;
const bytesOf = (kind: keyof typeof HEADS, length = 64): Buffer => {
  const head = Buffer.from(HEADS[kind], 'hex');
  return Buffer.concat([head, Buffer.alloc(length - head.length, 7)]);
};
const uri = (kind: string, bytes: Buffer): string => `data:image/${kind};base64,${bytes.toString('base64')}`;
const png = uri('png', bytesOf('png'));
const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');

describe('the icon of a sponsor', () => {
  it.each(['png', 'jpeg', 'gif', 'webp'] as const)('is a %s', (kind) => {
    for (const length of [62, 63, 64]) expect(isSponsorIcon(uri(kind, bytesOf(kind, length)))).toBe(true);
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a list', [png]],
    ['an address to load it from', 'https://dapp.example/icon.png'],
    ['an SVG', uri('svg+xml', svg)],
    ['an SVG that says PNG', uri('png', svg)],
    ['a GIF that says PNG', uri('png', bytesOf('gif'))],
    ['a page', uri('html', svg)],
    ['no bytes', 'data:image/png;base64,'],
    ['another parameter', png.replace(';base64', ';charset=utf-8;base64')],
    ['upper case', png.replace('data:', 'DATA:')],
    ['a line break', `${png}\n`],
    ['a space within', png.replace('base64,', 'base64, ')],
    ['base64 without its padding', png.replace(/=+$/, '')],
    [
      'base64 of URLs',
      uri('png', Buffer.concat([bytesOf('png', 63), Buffer.from('fbff', 'hex')])).replaceAll('+', '-'),
    ],
    ['bits behind the last byte', png.replace(/.==$/, 'x==')],
    ['an end of HTML', `${png.slice(0, -4)}"><script>`],
  ])('is not %s', (_what, value) => {
    expect(value).not.toBe(png);
    expect(isSponsorIcon(value)).toBe(false);
  });

  it('has a bounded length', () => {
    const most = Math.floor((MAX_SPONSOR_ICON_LENGTH - 'data:image/png;base64,'.length) / 4) * 3;
    expect(isSponsorIcon(uri('png', bytesOf('png', most)))).toBe(true);
    expect(isSponsorIcon(uri('png', bytesOf('png', most + 1)))).toBe(false);
  });
});
