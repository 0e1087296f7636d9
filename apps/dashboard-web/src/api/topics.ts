import type { QueryKey } from '@tanstack/react-query';
import type { StreamEvent } from './event-stream-parser';

/** What of a paymaster an event of an operation changes. The wallet, limits in use and prices are asked for at intervals. */
const OF_OPERATIONS = ['operations', 'usage'];
/** What of a paymaster a change of what it sponsors changes. */
const OF_CHANGES = [
  'policies',
  'contracts',
  'settings',
  'tokens',
  'prices',
  'keys',
  'session-keys',
  'webhooks',
  'alerts',
  'wallet',
  'policy-use',
];

/** The keys of the queries that these events make old, once each. */
export function topicsOf(accountId: string, events: readonly StreamEvent[]): readonly QueryKey[] {
  const account = ['account', accountId];
  if (events.some(({ type, paymasterId }) => type === 'reset' || !paymasterId)) return [account];
  const keys = events.flatMap(({ type, paymasterId }): QueryKey[] =>
    type.startsWith('operation.')
      ? OF_OPERATIONS.map((name) => [...account, paymasterId, name])
      : [
          ...OF_CHANGES.map((name) => [...account, paymasterId, name]),
          [...account, 'audit-log'],
          [...account, 'paymasters'],
          [...account, 'shared-policies'],
          [...account, 'sharing-paymasters'],
        ],
  );
  return [...new Map(keys.map((key) => [key.join(), key])).values()];
}
