import { useQuery } from '@tanstack/react-query';
import { rolesQuery, type Role, type Schemas } from '../../api/queries';
import { useScope } from '../../shell/use-scope';

export type Right = Schemas['RoleView']['rights'][number];

interface RoleChoice {
  readonly value: Role;
  readonly label: string;
  readonly says: string;
}

const FIXED: readonly RoleChoice[] = [
  { value: 'owner', label: 'Owner', says: 'May do everything.' },
  { value: 'editor', label: 'Editor', says: 'May do everything but members, roles, invitations and auth tokens.' },
  { value: 'viewer', label: 'Viewer', says: 'Sees everything but secrets, and changes nothing.' },
  { value: 'support', label: 'Support', says: 'Sees everything, and changes nothing.' },
];

/** What a role may let its holders do, and what that is. */
export const RIGHTS: readonly { value: Right; label: string; says: string }[] = [
  { value: 'read', label: 'Read', says: 'Sees everything but secrets and people.' },
  { value: 'policies', label: 'Policies', says: 'Says what is sponsored: contracts, policies, settings.' },
  { value: 'keys', label: 'Keys', says: 'Sees and changes keys and webhooks, and sees who did what.' },
  { value: 'money', label: 'Money', says: 'Links the wallet, sets tokens, releases the brake.' },
  { value: 'team', label: 'Team', says: 'Sees and changes members, roles, invitations and auth tokens.' },
];

/** `Read, policies and money`. */
export function rightsInWords(rights: readonly Right[]): string {
  const words = RIGHTS.filter(({ value }) => rights.includes(value)).map(({ value }) => value);
  const text = words.length > 1 ? `${words.slice(0, -1).join(', ')} and ${words.at(-1)}` : words.join('');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The roles that the account can give: those that every account has, and its own. */
export function useRoleChoices(): readonly RoleChoice[] {
  const { accountId } = useScope();
  const { data: own = [] } = useQuery(rolesQuery(accountId));
  return [
    ...FIXED,
    ...own.map(({ roleId, name, rights }) => ({
      ...{ value: roleId, label: name },
      says: RIGHTS.filter(({ value }) => rights.includes(value))
        .map(({ says }) => says)
        .join(' '),
    })),
  ];
}
