import { NavLink } from '@mantine/core';
import { Link, useLocation } from '@tanstack/react-router';
import { Icon, type IconName } from '../ui/icon';
import { useRole, useScope } from './use-scope';

interface Item {
  readonly path: string;
  readonly label: string;
  readonly icon: IconName;
  readonly needsSecrets?: true;
}

const SCREENS: readonly Item[] = [
  { path: '', label: 'Overview', icon: 'overview' },
  { path: '/operations', label: 'Operations', icon: 'operations' },
  { path: '/contracts', label: 'Contracts', icon: 'contracts' },
  { path: '/policies', label: 'Policies', icon: 'policies' },
  { path: '/wallet', label: 'Wallet', icon: 'wallet' },
  { path: '/keys', label: 'Keys and snippets', icon: 'keys', needsSecrets: true },
  { path: '/start', label: 'First operation', icon: 'start' },
];

/** The screens of the paymaster that the URL names. */
export function Navigation() {
  const { accountId, paymasterId } = useScope();
  const { maySeeSecrets } = useRole();
  const path = useLocation({ select: ({ pathname }) => pathname.replace(/\/$/, '') });
  if (!paymasterId) return null;
  const base = `/a/${accountId}/p/${paymasterId}`;
  return SCREENS.filter(({ needsSecrets }) => !needsSecrets || maySeeSecrets).map((item) => {
    const isHere = path === `${base}${item.path}`;
    return (
      <NavLink
        key={item.path}
        component={Link}
        to={`${base}${item.path}`}
        activeOptions={{ exact: true, includeSearch: false }}
        label={item.label}
        leftSection={<Icon name={item.icon} />}
        active={isHere}
        {...(isHere && { 'aria-current': 'page' as const })}
      />
    );
  });
}
