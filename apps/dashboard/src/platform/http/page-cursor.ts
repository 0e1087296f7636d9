/** The last row of a page, of rows in the order of a time and an id. */
export interface PagePlace {
  /** Microseconds since 1970, as the database orders them. */
  readonly atUs: string;
  readonly id: string;
}

/** A place as clients get it: opaque to them. */
export function presentPlace({ atUs, id }: PagePlace): string {
  return Buffer.from(`${atUs}.${id}`).toString('base64url');
}

/** @param idForm the form of ids @returns null for what is no place */
export function placeIn(text: unknown, idForm: RegExp): PagePlace | null {
  if (typeof text !== 'string') return null;
  const [atUs = '', id = ''] = Buffer.from(text, 'base64url').toString('latin1').split('.');
  return /^\d{1,18}$/.test(atUs) && idForm.test(id) ? { atUs, id } : null;
}
