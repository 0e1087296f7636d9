import { Divider, NavLink } from '@mantine/core';
import { Link, useLocation } from '@tanstack/react-router';
import { Icon, type IconName } from '../ui/icon';
import { useChosen, useScope, type Rights } from './use-scope';

interface Item {
  readonly path: string;
  readonly label: string;
  readonly icon: IconName;
  readonly needs?: 'maySeeSecrets' | 'mayReadAudit';
}

const SCREENS: readonly Item[] = [
  { path: '', label: 'Overview', icon: 'overview' },
  { path: '/operations', label: 'Operations', icon: 'operations' },
  { path: '/requests', label: 'Requests', icon: 'requests' },
  { path: '/explain', label: 'Explain', icon: 'explain' },
  { path: '/contracts', label: 'Contracts', icon: 'contracts' },
  { path: '/policies', label: 'Policies', icon: 'policies' },
  { path: '/wallet', label: 'Wallet', icon: 'wallet' },
  { path: '/keys', label: 'Keys and code', icon: 'keys', needs: 'maySeeSecrets' },
  { path: '/tokens', label: 'Tokens', icon: 'tokens' },
  { path: '/alerts', label: 'Alerts', icon: 'alerts' },
  { path: '/webhooks', label: 'Webhooks', icon: 'webhooks' },
  { path: '/settings', label: 'Settings', icon: 'settings' },
  { path: '/start', label: 'First operation', icon: 'start' },
];

/** Screens of the account as a whole. */
const OF_ACCOUNT: readonly Item[] = [
  { path: '/projects', label: 'Projects', icon: 'projects' },
  { path: '/shared-policies', label: 'Shared policies', icon: 'policies' },
  { path: '/team', label: 'Team', icon: 'team' },
  { path: '/audit-log', label: 'Audit log', icon: 'audit', needs: 'mayReadAudit' },
];

/** Of the installation. */
const OPERATOR: Item = { path: '/operator', label: 'Operator', icon: 'operator' };

interface Props {
  /** Unknown while it is asked who the person is. What may be hidden then has its room, and is not seen. */
  readonly rights?: Rights;
  readonly isOperator?: boolean;
}

/** The screens of the chosen paymaster, and those of the account. */
export function Navigation({ rights, isOperator = false }: Props) {
  const { accountId } = useScope();
  const chosen = useChosen();
  const account = `/a/${accountId}`;
  const screens = (items: readonly Item[], base: string, search = {}) =>
    items
      .filter(({ needs }) => !needs || !rights || rights[needs])
      .map((item) => (
        <Screen key={item.path} base={base} item={item} search={search} isSeen={!item.needs || rights !== undefined} />
      ));
  return (
    <>
      {chosen && screens(SCREENS, `${account}/p/${chosen}`)}
      <Divider my="xs" />
      {accountId && screens(OF_ACCOUNT, account, { at: chosen || undefined })}
      {isOperator && <Screen base="" item={OPERATOR} />}
    </>
  );
}

interface ScreenProps {
  readonly base: string;
  readonly item: Item;
  readonly search?: { readonly at?: string | undefined };
  readonly isSeen?: boolean;
}

function Screen({ base, item: { path, label, icon }, search = {}, isSeen = true }: ScreenProps) {
  const here = useLocation({ select: ({ pathname }) => pathname.replace(/\/$/, '') });
  const to = `${base}${path}`;
  const isHere = here === to;
  return (
    <NavLink
      component={Link}
      to={to}
      search={search as never}
      activeOptions={{ exact: true, includeSearch: false }}
      label={label}
      leftSection={<Icon name={icon} />}
      active={isHere}
      {...(!isSeen && { style: { visibility: 'hidden' } })}
      {...(isHere && { 'aria-current': 'page' as const })}
    />
  );
}
