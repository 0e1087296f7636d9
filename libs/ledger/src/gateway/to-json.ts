/** What jsonb cannot hold: NUL, and halves of surrogate pairs. */
const UNSTORABLE = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** JSON that Postgres takes as jsonb: characters that it cannot hold become U+FFFD, so that no text can make a row fail. */
export function toJson(value: unknown): string {
  const text = JSON.stringify(value);
  // Both kinds are written as escapes, so most text needs no second look.
  if (!text.includes('\\u0000') && !text.includes('\\ud')) return text;
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'string' ? part.replace(UNSTORABLE, '\ufffd') : part,
  );
}
