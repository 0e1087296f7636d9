import { NotAllowedError } from '../../platform/http/dashboard-errors';
import type { Account, TokenScope } from '../accounts/account';

/**
 * What a member may be let do in an account. `read`: see all but secrets and people. `policies`: say what is sponsored.
 * `keys`: see and change keys and webhooks, and see who did what. `money`: link the wallet, set tokens and who gets
 * them, switch and release the brake. `team`: see and change members, roles, invitations and auth tokens.
 */
export const RIGHTS = ['read', 'policies', 'keys', 'money', 'team'] as const;
export type Right = (typeof RIGHTS)[number];

/** Roles that every account has. */
export const FIXED_ROLES = ['owner', 'editor', 'viewer', 'support'] as const;
export type FixedRole = (typeof FIXED_ROLES)[number];

/** What a member of an account is there: one of {@link FIXED_ROLES}, or the id of a role that the account made. */
export type Role = string;

/** A role, and what it lets its holder do. */
export interface RoleGrant {
  readonly role: Role;
  /** As people call it. */
  readonly roleName: string;
  readonly rights: readonly Right[];
}

/**
 * What a route needs of its caller: a right, or `readSecrets`: its answer shows API keys, secrets or whole URLs of
 * webhooks, or who did what; `readPeople`: it shows members, roles, invitations or auth tokens; `write`: all three of
 * `policies`, `keys` and `money`.
 */
export type Need = Right | 'readSecrets' | 'readPeople' | 'write';

const RIGHTS_OF: Readonly<Record<FixedRole, readonly Right[]>> = {
  owner: RIGHTS,
  editor: ['read', 'policies', 'keys', 'money'],
  viewer: ['read'],
  support: ['read'],
};

/** Support sees more than its right says, and changes nothing. */
const SEEN_BY: Readonly<Partial<Record<Role, readonly Need[]>>> = { support: ['readSecrets', 'readPeople'] };

/** What else a right lets its holder see. */
const SEEN_WITH: Readonly<Partial<Record<Right, Need>>> = { keys: 'readSecrets', team: 'readPeople' };

/** A fixed role, or null for another. */
export function fixedRole(role: Role): RoleGrant | null {
  const known = FIXED_ROLES.find((each) => each === role);
  return known ? { role, roleName: known, rights: RIGHTS_OF[known] } : null;
}

export function needsMetByRole({ role, rights }: Pick<RoleGrant, 'role' | 'rights'>): readonly Need[] {
  const seen = rights.flatMap((right) => SEEN_WITH[right] ?? []);
  return withWrite([...new Set([...rights, ...seen, ...(SEEN_BY[role] ?? [])])]);
}

/** What is left to a member in an account that asks for a second factor which he has not shown. */
export const LEFT_WITHOUT_SECOND_FACTOR: readonly Need[] = ['read', 'readPeople'];

/** Whether the account asks a member who may spend or see secrets for a second factor that his session has not shown. */
export function lacksSecondFactor(
  {
    account,
    ...grant
  }: Pick<RoleGrant, 'role' | 'rights'> & {
    readonly account: Pick<Account, 'secondFactorRequired'>;
  },
  { isStrong }: { readonly isStrong: boolean },
): boolean {
  const mayMore = needsMetByRole(grant).some((need) => !LEFT_WITHOUT_SECOND_FACTOR.includes(need));
  return account.secondFactorRequired && mayMore && !isStrong;
}

/** People administer, tokens do not: else a token that leaked could make others that outlive it. */
export function needsMetByToken(scope: TokenScope): readonly Need[] {
  return withWrite(['read', 'readSecrets', ...(scope === 'write' ? (['policies', 'keys', 'money'] as const) : [])]);
}

function withWrite(needs: readonly Need[]): readonly Need[] {
  const all: readonly Need[] = ['policies', 'keys', 'money'];
  return all.every((each) => needs.includes(each)) ? [...needs, 'write'] : needs;
}

/** @throws {NotAllowedError} when a role lets its holder do what the giver may not do, or see what he may not see */
export function assertMayGive(
  giver: Pick<RoleGrant, 'role' | 'rights'>,
  given: Pick<RoleGrant, 'role' | 'rights'>,
): void {
  assertMayGiveNeeds(giver, needsMetByRole(given));
}

/** {@link assertMayGive}, of what an auth token may do. */
export function assertMayGiveNeeds(giver: Pick<RoleGrant, 'role' | 'rights'>, given: readonly Need[]): void {
  const own = needsMetByRole(giver);
  const missing = given.filter((need) => !own.includes(need));
  if (missing.length > 0) throw new NotAllowedError(MORE_THAN_OWN);
}

export const MORE_THAN_OWN = 'Nobody gives, changes or takes away rights that he does not have himself';
