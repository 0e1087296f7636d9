import type { Need } from '../../access/people/role';

/** For the API document. */
export const SHOWN_URL = 'A viewer is shown its host only, because URLs of webhooks often hold a secret.';

/**
 * The URL of a webhook as a caller is shown it: without the need `readSecrets`, its host. No request takes a host for a
 * URL, so a document that a viewer exported is refused and overwrites no URL.
 */
export function shownUrl(url: string, may: readonly Need[]): string {
  return may.includes('readSecrets') ? url : new URL(url).host;
}
