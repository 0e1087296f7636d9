/** What Postgres would take as a UUID. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text is a {@link UUID}. What is none is not looked for: a query for it is an error. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
