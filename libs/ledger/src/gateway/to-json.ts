/** What jsonb cannot hold: NUL, and halves of surrogate pairs. */
const UNSTORABLE = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * JSON text that Postgres accepts as jsonb. Characters that jsonb cannot hold become U+FFFD, so that no text can make a
 * row fail.
 */
export function toJson(value: unknown): string {
  const text = JSON.stringify(value);
  // JSON writes both kinds as escapes, so text without escapes is returned at once.
  if (!text.includes('\\u0000') && !text.includes('\\ud')) return text;
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'string' ? part.replace(UNSTORABLE, '\ufffd') : part,
  );
}
