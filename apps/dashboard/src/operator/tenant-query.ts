import { InvalidBodyError } from '../platform/http/dashboard-errors';
import { parseCursor, type PagePlace } from '../platform/http/page-cursor';
import { refuseUnknownQuery } from '../platform/http/query-rules';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MAX_SEARCH_LENGTH = 100;

/** Which tenants are wanted, and where the page starts. @throws {InvalidBodyError} naming the parameter */
export function parseTenantQuery(query: Readonly<Record<string, unknown>>): { search?: string; after?: PagePlace } {
  refuseUnknownQuery(query, ['search', 'cursor']);
  const { search, cursor } = query;
  if (search !== undefined && !isSearch(search)) {
    throw new InvalidBodyError(`search must be 1 to ${MAX_SEARCH_LENGTH} characters long`);
  }
  return { ...(search !== undefined && { search }), ...(cursor !== undefined && { after: parseCursor(cursor, UUID) }) };
}

/** Postgres takes no text with a character of code 0. */
function isSearch(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_SEARCH_LENGTH && !value.includes('\0');
}
