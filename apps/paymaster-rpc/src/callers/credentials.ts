import { InvalidApiKeyError } from '@paymaster/domain';

/** What of an HTTP request says who asks. */
export interface Credentials {
  /** Chain id in the path, if the path has one. */
  readonly chainId: string | undefined;
  /** Key in the path, if the path has one; it wins over the headers. */
  readonly pathKey: string | undefined;
  readonly xApiKey: string | string[] | undefined;
  readonly authorization: string | undefined;
}

/** 9 characters, a dot, a UUID: anything else is unknown without asking anybody. */
const API_KEY = /^[A-Za-z0-9_-]{9}\.[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;
const BEARER = /^bearer +(\S+) *$/i;

/**
 * The API key of a request: in the path, else `x-api-key`, else `Authorization: Bearer`.
 *
 * @throws {InvalidApiKeyError} when there is none, or one that cannot exist; the message never repeats it
 */
export function apiKeyOf({ pathKey, xApiKey, authorization }: Credentials): string {
  const key = pathKey ?? (typeof xApiKey === 'string' ? xApiKey : BEARER.exec(authorization ?? '')?.[1]);
  if (key === undefined || key === '') {
    throw new InvalidApiKeyError(
      'The API key is missing: put it in the path, in the x-api-key header or in Authorization: Bearer.',
    );
  }
  if (!API_KEY.test(key)) throw new InvalidApiKeyError('The API key is unknown.');
  return key;
}
