/** A part of the URL as text; undefined where there is none. */
export function text(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Where a sign-in leads back to: a path of this page, and never another site. */
export function ownPath(from: string | undefined): string {
  return from && /^\/(?![/\\])/.test(from) && !from.startsWith('/sign-in') ? from : '/';
}
