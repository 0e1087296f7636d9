import type { TokenScope } from '../accounts/account';

/** What a member of an account may do there. */
export const ROLES = ['owner', 'editor', 'viewer', 'support'] as const;
export type Role = (typeof ROLES)[number];

/**
 * What a route needs of its caller. `readSecrets`: the answer shows API keys, secrets or whole URLs of webhooks,
 * or who did what. `readPeople`: it shows members, invitations or auth tokens. `administer`: it changes those.
 */
export type Need = 'read' | 'readSecrets' | 'readPeople' | 'write' | 'administer';

const MAY: Readonly<Record<Role, readonly Need[]>> = {
  owner: ['read', 'readSecrets', 'readPeople', 'write', 'administer'],
  editor: ['read', 'readSecrets', 'write'],
  viewer: ['read'],
  support: ['read', 'readSecrets', 'readPeople'],
};

/** People administer, tokens do not: else a token that leaked could make others that outlive it. */
const TOKEN_MAY: Readonly<Record<TokenScope, readonly Need[]>> = {
  read: ['read', 'readSecrets'],
  write: ['read', 'readSecrets', 'write'],
};

export function needsMetByRole(role: Role): readonly Need[] {
  return MAY[role];
}

export function needsMetByToken(scope: TokenScope): readonly Need[] {
  return TOKEN_MAY[scope];
}
