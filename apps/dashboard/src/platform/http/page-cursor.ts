import { InvalidBodyError } from './dashboard-errors';

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

/** @param idForm the form of ids @throws {InvalidBodyError} naming `cursor` */
export function parseCursor(text: unknown, idForm: RegExp): PagePlace {
  const [atUs = '', id = ''] =
    typeof text === 'string' ? Buffer.from(text, 'base64url').toString('latin1').split('.') : [];
  if (!/^\d{1,18}$/.test(atUs) || !idForm.test(id)) throw new InvalidBodyError('cursor must be one that was answered');
  return { atUs, id };
}
