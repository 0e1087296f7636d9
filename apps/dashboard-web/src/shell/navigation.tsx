import { Divider, NavLink } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { meQuery } from '../api/queries';
import { Icon, type IconName } from '../ui/icon';
import { useRole, useScope } from './use-scope';

interface Item {
  readonly path: string;
  readonly label: string;
  readonly icon: IconName;
  readonly needs?: 'maySeeSecrets' | 'mayReadAudit';
}

const SCREENS: readonly Item[] = [
  { path: '', label: 'Overview', icon: 'overview' },
  { path: '/operations', label: 'Operations', icon: 'operations' },
  { path: '/explain', label: 'Explain', icon: 'explain' },
  { path: '/contracts', label: 'Contracts', icon: 'contracts' },
  { path: '/policies', label: 'Policies', icon: 'policies' },
  { path: '/wallet', label: 'Wallet', icon: 'wallet' },
  { path: '/keys', label: 'Keys and snippets', icon: 'keys', needs: 'maySeeSecrets' },
  { path: '/tokens', label: 'Tokens', icon: 'tokens' },
  { path: '/webhooks', label: 'Webhooks', icon: 'webhooks' },
  { path: '/settings', label: 'Settings', icon: 'settings' },
  { path: '/start', label: 'First operation', icon: 'start' },
];

/** Screens of the account as a whole. */
const OF_ACCOUNT: readonly Item[] = [
  { path: '/shared-policies', label: 'Shared policies', icon: 'policies' },
  { path: '/team', label: 'Team', icon: 'team' },
  { path: '/audit-log', label: 'Audit log', icon: 'audit', needs: 'mayReadAudit' },
];

/** Of the installation. */
const OPERATOR: Item = { path: '/operator', label: 'Operator', icon: 'operator' };

/** The screens of the paymaster that the URL names, and those of the account. */
export function Navigation() {
  const { accountId, paymasterId } = useScope();
  const rights = useRole();
  const { data: me } = useSuspenseQuery(meQuery);
  const account = `/a/${accountId}`;
  const isShown = ({ needs }: Item) => !needs || rights[needs];
  return (
    <>
      {paymasterId &&
        SCREENS.filter(isShown).map((item) => (
          <Screen key={item.path} base={`${account}/p/${paymasterId}`} item={item} />
        ))}
      <Divider my="xs" />
      {OF_ACCOUNT.filter(isShown).map((item) => (
        <Screen key={item.path} base={account} item={item} />
      ))}
      {me.person.isOperator && <Screen base="" item={OPERATOR} />}
    </>
  );
}

function Screen({ base, item: { path, label, icon } }: { readonly base: string; readonly item: Item }) {
  const here = useLocation({ select: ({ pathname }) => pathname.replace(/\/$/, '') });
  const to = `${base}${path}`;
  const isHere = here === to;
  return (
    <NavLink
      component={Link}
      to={to}
      activeOptions={{ exact: true, includeSearch: false }}
      label={label}
      leftSection={<Icon name={icon} />}
      active={isHere}
      {...(isHere && { 'aria-current': 'page' as const })}
    />
  );
}
