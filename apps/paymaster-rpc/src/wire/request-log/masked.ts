/** Longer texts are cut off; no sentence of ours is longer. */
const MOST_LENGTH = 1_000;

/**
 * What may be a secret, and what stands in its place: API keys, the tokens and codes of the dashboard (`pm_`), JSON Web
 * Tokens, all of a URL but its host, and bytes of 65 or more, which may be a signature. A text of any length is read
 * once, and no pattern goes back.
 */
const SECRETS: ReadonlyArray<readonly [RegExp, (found: string) => string]> = [
  [/\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>]+/gi, hostOf],
  [/[A-Za-z0-9_-]{9}\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, () => '(API key)'],
  [/\bpm_[a-z]+_[A-Za-z0-9_-]{20,}/g, () => '(token)'],
  [/\beyJ[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*){1,2}/g, () => '(token)'],
  [/(?:0x)?[0-9a-f]{130,}/gi, (found) => `(${Math.floor(found.replace(/^0x/i, '').length / 2)} bytes)`],
];

/**
 * A text of an error without what may be a secret in it, for an owner to read.
 *
 * @param most characters that are shown; a whole character is never cut, because Postgres takes no half of one
 */
export function masked(text: string, most = MOST_LENGTH): string {
  let shown = text.slice(0, MOST_LENGTH);
  for (const [secret, instead] of SECRETS) shown = shown.replace(secret, instead);
  // Postgres takes no NUL and no half of a surrogate pair.
  return [...shown]
    .slice(0, most)
    .join('')
    .replace(/[\u0000-\u001f\u007f]|\p{Cs}/gu, ' ');
}

function hostOf(url: string): string {
  return URL.canParse(url) ? `(URL at ${new URL(url).host})` : '(URL)';
}
