import { InvalidApiKeyError } from '@paymaster/domain';

/** The parts of an HTTP request that identify its caller. */
export interface Credentials {
  /** Chain id in the path, if the path has one. */
  readonly chainId: string | undefined;
  /** Key in the path or the query, if there is one; it wins over the headers. */
  readonly pathKey: string | undefined;
  /** Whether the address has the form that Biconomy's SDK demands, `/api/v2/{chain}/{key}`. */
  readonly isBiconomysAddress?: boolean;
  readonly xApiKey: string | string[] | undefined;
  readonly authorization: string | undefined;
}

/** 9 characters (in which a dot may stand for `_`), a dot, a UUID. Any other text is no key, so it is not looked up. */
const API_KEY = /^[A-Za-z0-9._-]{9}\.[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;
const NAME_LENGTH = 9;
const BEARER = /^bearer +(\S+) *$/i;

/**
 * The API key of a request: in the path, else `x-api-key`, else `Authorization: Bearer`.
 *
 * @throws {InvalidApiKeyError} when there is no key, or a text that cannot be a key; the message never repeats it
 */
export function apiKeyOf({ pathKey, xApiKey, authorization }: Credentials): string {
  const key = pathKey ?? (typeof xApiKey === 'string' ? xApiKey : BEARER.exec(authorization ?? '')?.[1]);
  if (key === undefined || key === '') {
    throw new InvalidApiKeyError(
      'The API key is missing: put it in the path, in the x-api-key header or in Authorization: Bearer.',
    );
  }
  if (!API_KEY.test(key)) throw new InvalidApiKeyError('The API key is unknown.');
  // Biconomy's SDK refuses a key with a `_`, which older keys have, so its clients send a dot instead.
  return key.slice(0, NAME_LENGTH).replaceAll('.', '_') + key.slice(NAME_LENGTH);
}
