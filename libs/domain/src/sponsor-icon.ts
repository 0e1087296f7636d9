/** The whole data URI; characters. */
export const MAX_SPONSOR_ICON_LENGTH = 8_192;

/**
 * The first bytes of each kind of image, in hex; a dot stands for any digit. SVG is not among them: it is a program in
 * every wallet that shows it otherwise than in an `<img>`.
 */
const IMAGES: ReadonlyMap<string, RegExp> = new Map([
  ['png', /^89504e470d0a1a0a/],
  ['jpeg', /^ffd8ff/],
  ['gif', /^47494638(?:37|39)61/],
  ['webp', /^52494646.{8}57454250/],
]);

const DATA_URI = new RegExp(`^data:image/(${[...IMAGES.keys()].join('|')});base64,([A-Za-z0-9+/]+={0,2})$`);

/** Whether a value is an image as a data URI in its one canonical form, of the kind that it says. */
export function isSponsorIcon(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > MAX_SPONSOR_ICON_LENGTH) return false;
  const [, kind = '', base64 = ''] = DATA_URI.exec(value) ?? [];
  const bytes = Buffer.from(base64, 'base64');
  return bytes.toString('base64') === base64 && (IMAGES.get(kind)?.test(bytes.toString('hex', 0, 12)) ?? false);
}
