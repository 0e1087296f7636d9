import { SignInAgainError } from '../../platform/http/dashboard-errors';
import type { OpenSession } from '../people/sessions';

/** How old a session may be in which its person changes how he signs in; milliseconds. */
const FRESH_MS = 15 * 60_000;

/** @throws {SignInAgainError} so that a session which somebody stole opens no way in that outlives it */
export function assertFresh({ createdAt }: OpenSession['session']): void {
  if (Date.now() - createdAt.getTime() > FRESH_MS) throw new SignInAgainError();
}
