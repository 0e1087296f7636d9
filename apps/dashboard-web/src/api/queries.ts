import type { components } from '@paymaster/dashboard-api';
import { infiniteQueryOptions, keepPreviousData, queryOptions, type InfiniteData } from '@tanstack/react-query';
import { api, contentOf, headersOf, SDK, type Scope } from './client';
import { live } from './connection';

export type Schemas = components['schemas'];
export type Operation = Schemas['OperationView'];
/** What a list shows of an operation. Of 100,000 of them, the page cannot keep the traces. */
export type OperationSummary = Pick<
  Operation,
  | 'id'
  | 'state'
  | 'success'
  | 'reason'
  | 'message'
  | 'mode'
  | 'token'
  | 'policyId'
  | 'entryPointVersion'
  | 'sender'
  | 'createdAt'
  | 'bundler'
> & {
  /** The first call that does not only let the token be taken in which the user pays. */
  readonly call: Pick<Schemas['TargetView'], 'to' | 'selector'> | null;
  readonly calls: number;
  readonly costWei: string | null;
  readonly isPaid: boolean;
};
export type AuditEntry = Schemas['AuditEntryView'];
export type LoggedRequest = Schemas['RequestLogEntryView'];
export type Me = Schemas['MeView'];
export type Chain = Schemas['ChainView'];
export type Role = Schemas['MembershipView']['role'];

/** How often what changes by itself is asked for again while it is shown. */
const LIVE_MS = 5_000;
const SLOW_MS = 30_000;
/** The first fill more than a screen; who scrolls on waits for fewer, larger ones. */
const OPERATIONS_PER_PAGE = { first: 100, further: 200 };

/** Asks at intervals while no stream of events tells what happened. */
export const unlessLive = (ms: number) => (): number | false => (live.get() === 'up' ? false : ms);

/** A list of which many pages were read would be read from its start, under the reader's eyes; it has a button. */
export function isShort({ state: { data } }: { readonly state: { readonly data: unknown } }): boolean {
  return ((data as InfiniteData<unknown> | undefined)?.pages?.length ?? 0) <= 1;
}

export interface OperationFilter {
  readonly state?: Operation['state'] | undefined;
  readonly reason?: string | undefined;
  readonly sender?: string | undefined;
  readonly userOpHash?: string | undefined;
  readonly transactionHash?: string | undefined;
  readonly requestId?: string | undefined;
  /** A hash, a sender, the id of a request or of an operation, or a reason. */
  readonly search?: string | undefined;
  readonly contract?: string | undefined;
  readonly method?: string | undefined;
  readonly policyId?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export interface PaymasterScope extends Scope {
  readonly accountId: string;
  readonly paymasterId: string;
}

/** The first parts of each key, by which all of a paymaster is asked for again. */
export const keyOf = ({ accountId, paymasterId }: Scope): readonly (string | undefined)[] => [
  'account',
  accountId,
  paymasterId,
];

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => contentOf(api.GET(`${SDK}/session`, { signal })),
  staleTime: 60_000,
});

export const chainsQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['account', accountId, 'chains'],
    queryFn: ({ signal }) => contentOf(api.GET(`${SDK}/chains`, { headers: headersOf({ accountId }), signal })),
    staleTime: Infinity,
  });

export const paymastersQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['account', accountId, 'paymasters'],
    queryFn: ({ signal }) =>
      contentOf(api.GET(`${SDK}/account/paymasters`, { headers: headersOf({ accountId }), signal })),
    staleTime: 60_000,
  });

/** What happened at each paymaster of the account in thirty days. */
export const accountUsageQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['account', accountId, 'usage'],
    queryFn: ({ signal }) => contentOf(api.GET(`${SDK}/account/usage`, { headers: headersOf({ accountId }), signal })),
    refetchInterval: SLOW_MS,
  });

export const settingsQuery = (scope: PaymasterScope) =>
  queryOptions({
    queryKey: [...keyOf(scope), 'settings'],
    queryFn: ({ signal }) => contentOf(api.GET(`${SDK}/paymaster-settings`, { headers: headersOf(scope), signal })),
  });

export const walletQuery = (scope: PaymasterScope) =>
  queryOptions({
    queryKey: [...keyOf(scope), 'wallet'],
    queryFn: ({ signal }) => contentOf(api.GET(`${SDK}/funding-wallet`, { headers: headersOf(scope), signal })),
    refetchInterval: LIVE_MS,
  });

/** The transactions that bring an amount into the deposits, or take it out. */
export const transactionsQuery = (scope: PaymasterScope, amountWei: string) =>
  queryOptions({
    queryKey: [...keyOf(scope), 'transactions', amountWei],
    queryFn: ({ signal }) =>
      contentOf(
        api.GET(`${SDK}/funding-wallet/transactions`, {
          params: { query: { amountWei } },
          headers: headersOf(scope),
          signal,
        }),
      ),
  });

export const contractsQuery = (scope: PaymasterScope) =>
  queryOptions({
    queryKey: [...keyOf(scope), 'contracts'],
    queryFn: ({ signal }) => contentOf(api.GET(`${SDK}/smart-contract`, { headers: headersOf(scope), signal })),
    staleTime: SLOW_MS,
  });

/** Without ABIs, which may come to megabytes. */
export const contractNamesQuery = (scope: PaymasterScope) =>
  queryOptions({
    queryKey: [...contractsQuery(scope).queryKey, 'names'],
    queryFn: ({ signal }) => {
      const params = { query: { abi: false } };
      return contentOf(api.GET(`${SDK}/smart-contract`, { params, headers: headersOf(scope), signal }));
    },
    staleTime: SLOW_MS,
  });

export const policiesQuery = (scope: PaymasterScope) =>
  queryOptions({
    queryKey: [...keyOf(scope), 'policies'],
    queryFn: ({ signal }) =>
      contentOf(
        api.GET(`${SDK}/paymaster-policy`, {
          params: { query: { versions: true } },
          headers: headersOf(scope),
          signal,
        }),
      ),
  });

export const historyQuery = (scope: PaymasterScope, policyId: string) =>
  queryOptions({
    queryKey: [...keyOf(scope), 'policies', policyId, 'history'],
    queryFn: ({ signal }) =>
      contentOf(
        api.GET(`${SDK}/paymaster-policy/{policyId}/history`, {
          params: { path: { policyId } },
          headers: headersOf(scope),
          signal,
        }),
      ),
  });

/** What of each limit is used; of limits per account only where an account is named. */
export const policyUseQuery = (scope: PaymasterScope, policyId: string, sender: string | undefined) =>
  queryOptions({
    queryKey: [...keyOf(scope), 'policy-use', policyId, sender],
    queryFn: ({ signal }) =>
      contentOf(
        api.GET(`${SDK}/paymaster-policy/{policyId}/use`, {
          params: { path: { policyId }, query: { ...(sender && { sender }) } },
          headers: headersOf(scope),
          signal,
        }),
      ),
    refetchInterval: LIVE_MS,
    placeholderData: keepPreviousData,
  });

export const usageQuery = (scope: PaymasterScope, interval: 'hour' | 'day') =>
  queryOptions({
    queryKey: [...keyOf(scope), 'usage', interval],
    queryFn: ({ signal }) =>
      contentOf(api.GET(`${SDK}/usage`, { params: { query: { interval } }, headers: headersOf(scope), signal })),
    refetchInterval: unlessLive(SLOW_MS),
    placeholderData: keepPreviousData,
  });

export const tokensQuery = (scope: PaymasterScope) =>
  queryOptions({
    queryKey: [...keyOf(scope), 'tokens'],
    queryFn: ({ signal }) => contentOf(api.GET(`${SDK}/token`, { headers: headersOf(scope), signal })),
  });

type UsagePart = 'contract' | 'method' | 'policy' | 'key' | 'sender' | 'token' | 'mode';

/** The usage of thirty days, split; the parts that cost most. */
export const usageSplitQuery = (scope: PaymasterScope, by: UsagePart) =>
  queryOptions({
    queryKey: [...keyOf(scope), 'usage-split', by],
    queryFn: ({ signal }) =>
      contentOf(api.GET(`${SDK}/usage`, { params: { query: { by } }, headers: headersOf(scope), signal })),
    refetchInterval: SLOW_MS,
  });

/** The same, each day of each part. */
export const usagePerDayQuery = (scope: PaymasterScope, by: UsagePart) =>
  queryOptions({
    queryKey: [...keyOf(scope), 'usage-per-day', by],
    queryFn: ({ signal }) =>
      contentOf(
        api.GET(`${SDK}/usage`, { params: { query: { by, eachDay: true } }, headers: headersOf(scope), signal }),
      ),
    refetchInterval: SLOW_MS,
  });

/** What the tokens are worth now, and what the wallet may lose by them. */
export const pricesQuery = (scope: PaymasterScope) =>
  queryOptions({
    queryKey: [...keyOf(scope), 'prices'],
    queryFn: ({ signal }) => contentOf(api.GET(`${SDK}/price`, { headers: headersOf(scope), signal })),
    refetchInterval: LIVE_MS,
  });

export const keysQuery = (scope: PaymasterScope) =>
  queryOptions({
    queryKey: [...keyOf(scope), 'keys'],
    queryFn: ({ signal }) => contentOf(api.GET(`${SDK}/keys`, { headers: headersOf(scope), signal })),
  });

/** The public keys with which back ends sign tokens of their users. */
export const sessionKeysQuery = (scope: PaymasterScope) =>
  queryOptions({
    queryKey: [...keyOf(scope), 'session-keys'],
    queryFn: ({ signal }) => contentOf(api.GET(`${SDK}/session-keys`, { headers: headersOf(scope), signal })),
  });

/** Until when main keys that were replaced go on working. */
export const formerKeysQuery = (scope: PaymasterScope) =>
  queryOptions({
    queryKey: [...keyOf(scope), 'keys', 'former'],
    queryFn: ({ signal }) => contentOf(api.GET(`${SDK}/paymaster/former-keys`, { headers: headersOf(scope), signal })),
  });

export const webhooksQuery = (scope: PaymasterScope) =>
  queryOptions({
    queryKey: [...keyOf(scope), 'webhooks'],
    queryFn: ({ signal }) => contentOf(api.GET(`${SDK}/webhook`, { headers: headersOf(scope), signal })),
  });

export const alertsQuery = (scope: PaymasterScope) =>
  queryOptions({
    queryKey: [...keyOf(scope), 'alerts'],
    queryFn: ({ signal }) => contentOf(api.GET(`${SDK}/alerts`, { headers: headersOf(scope), signal })),
  });

export const alertDeliveriesQuery = (scope: PaymasterScope, alertId: string) =>
  queryOptions({
    queryKey: [...keyOf(scope), 'alerts', alertId],
    queryFn: ({ signal }) => {
      const request = { params: { path: { alertId } }, headers: headersOf(scope), signal };
      return contentOf(api.GET(`${SDK}/alerts/{alertId}/deliveries`, request));
    },
    refetchInterval: LIVE_MS,
  });

export const deliveriesQuery = (scope: PaymasterScope, webhookId: string, status?: Schemas['DeliveryView']['status']) =>
  queryOptions({
    queryKey: [...keyOf(scope), 'webhooks', webhookId, 'deliveries', status],
    queryFn: ({ signal }) =>
      contentOf(
        api.GET(`${SDK}/webhook/deliveries`, {
          params: { query: { webhookId, ...(status && { status }) } },
          headers: headersOf(scope),
          signal,
        }),
      ),
    refetchInterval: LIVE_MS,
  });

/** The newest operations of a filter; for counters and lists that stay short. */
export const newestOperationsQuery = (scope: PaymasterScope, filter: OperationFilter, limit: number) =>
  queryOptions({
    queryKey: [...keyOf(scope), 'operations', 'newest', filter, limit],
    queryFn: ({ signal }) => readOperations(scope, filter, { limit }, signal),
    refetchInterval: unlessLive(LIVE_MS),
  });

/** All operations of a filter, page after page as the reader scrolls. */
export const operationPagesQuery = (scope: PaymasterScope, filter: OperationFilter) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(scope), 'operations', 'pages', filter],
    queryFn: async ({ pageParam, signal }) => {
      const page = pageParam
        ? { limit: OPERATIONS_PER_PAGE.further, cursor: pageParam }
        : { limit: OPERATIONS_PER_PAGE.first };
      const { operations, nextCursor } = await readOperations(scope, filter, page, signal);
      return { operations: summariesOf(operations), nextCursor };
    },
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: (query) => (isShort(query) ? SLOW_MS : Infinity),
  });

export const operationQuery = (scope: PaymasterScope, operationId: string) =>
  queryOptions({
    queryKey: [...keyOf(scope), 'operations', operationId],
    queryFn: ({ signal }) =>
      contentOf(
        api.GET(`${SDK}/operation/{operationId}`, {
          params: { path: { operationId } },
          headers: headersOf(scope),
          signal,
        }),
      ),
    refetchInterval: ({ state }) =>
      state.data && ['granted', 'landed'].includes(state.data.state) && unlessLive(LIVE_MS / 2)(),
  });

/** Why gateways refuse operations: each reason, with what it means. */
export const reasonsQuery = (scope: PaymasterScope) =>
  queryOptions({
    queryKey: [...keyOf(scope), 'reasons'],
    queryFn: ({ signal }) => contentOf(api.GET(`${SDK}/operation/reasons`, { headers: headersOf(scope), signal })),
    staleTime: Infinity,
  });

/** What an operation that landed called, whole. What a transaction carries does not change. */
export const operationCallsQuery = (scope: PaymasterScope, { id, transactionHash }: Operation) =>
  queryOptions({
    queryKey: [...keyOf(scope), 'operation calls', id, transactionHash],
    queryFn: ({ signal }) =>
      contentOf(
        api.GET(`${SDK}/operation/{operationId}/calls`, {
          params: { path: { operationId: id } },
          headers: headersOf(scope),
          signal,
        }),
      ),
    enabled: transactionHash !== null,
    // A node may lag behind the one that told of the block.
    staleTime: ({ state }) => (state.data?.calls ? Infinity : SLOW_MS),
  });

function readOperations(
  scope: PaymasterScope,
  filter: OperationFilter,
  page: { limit: number; cursor?: string },
  signal: AbortSignal,
) {
  const query = withoutUndefined({ ...filter, ...page, brief: true });
  return contentOf(api.GET(`${SDK}/operation`, { params: { query }, headers: headersOf(scope), signal }));
}

/** What many operations of a page have is kept once: the contract, the policy. */
function summariesOf(operations: readonly Operation[]): OperationSummary[] {
  const kept = new Map<string | null, string | null>();
  const once = <T extends string | null>(text: T): T => {
    if (!kept.has(text)) kept.set(text, text);
    return kept.get(text) as T;
  };
  return operations.map((operation) => {
    const { id, state, success, reason, message, mode, token, entryPointVersion, sender, createdAt } = operation;
    const { policyId, bundler, targets, actualCostWei, expectedCostWei } = operation;
    const first = targets?.find(({ to }) => to !== token) ?? targets?.[0];
    return {
      ...{ id, state, success, reason: once(reason), message: once(message), mode, token: once(token), bundler },
      ...{ entryPointVersion, sender, createdAt, policyId: once(policyId) },
      call: first ? { to: once(first.to), selector: once(first.selector) } : null,
      ...{ calls: targets?.length ?? 0, costWei: actualCostWei ?? expectedCostWei, isPaid: actualCostWei !== null },
    };
  });
}

/** What was not chosen is not sent. */
function withoutUndefined<T extends object>(query: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as never;
}

const accountQuery = <T>(
  accountId: string,
  name: string,
  ask: (init: { headers: Record<string, string>; signal: AbortSignal }) => Promise<T>,
) =>
  queryOptions({
    queryKey: ['account', accountId, name],
    queryFn: ({ signal }) => ask({ headers: headersOf({ accountId }), signal }),
  });

export const sharedPoliciesQuery = (accountId: string) =>
  accountQuery(accountId, 'shared-policies', (init) => contentOf(api.GET(`${SDK}/shared-policy`, init)));

/** The paymasters of the account, each with the shared policies that it shares. */
export const sharingPaymastersQuery = (accountId: string) =>
  accountQuery(accountId, 'sharing-paymasters', (init) => contentOf(api.GET(`${SDK}/shared-policy/paymasters`, init)));

export const membersQuery = (accountId: string) =>
  accountQuery(accountId, 'members', (init) => contentOf(api.GET(`${SDK}/members`, init)));

export const rolesQuery = (accountId: string) =>
  accountQuery(accountId, 'roles', (init) => contentOf(api.GET(`${SDK}/roles`, init)));

export const invitationsQuery = (accountId: string) =>
  accountQuery(accountId, 'invitations', (init) => contentOf(api.GET(`${SDK}/invitations`, init)));

export const authTokensQuery = (accountId: string) =>
  accountQuery(accountId, 'auth-tokens', (init) => contentOf(api.GET(`${SDK}/auth-tokens`, init)));

export interface RequestFilter {
  readonly outcome?: LoggedRequest['outcome'] | undefined;
  readonly reason?: string | undefined;
  readonly method?: string | undefined;
  readonly sender?: string | undefined;
  /** The id of a named key, or `main`. */
  readonly key?: string | undefined;
  readonly requestId?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The first parts of the keys of all that is read of a request log. */
export const requestsKey = (scope: PaymasterScope) => [...keyOf(scope), 'requests'];

/** The request log of a paymaster, newest first, page after page. */
export const requestPagesQuery = (scope: PaymasterScope, filter: RequestFilter) =>
  infiniteQueryOptions({
    queryKey: [...requestsKey(scope), 'pages', filter],
    queryFn: ({ pageParam, signal }) => {
      const query = withoutUndefined({ ...filter, ...(pageParam && { cursor: pageParam }) });
      return contentOf(api.GET(`${SDK}/request-log`, { params: { query }, headers: headersOf(scope), signal }));
    },
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  });

/** A request with its operation. What was logged does not change. */
export const requestQuery = (scope: PaymasterScope, entryId: string) =>
  queryOptions({
    queryKey: [...requestsKey(scope), entryId],
    queryFn: ({ signal }) =>
      contentOf(
        api.GET(`${SDK}/request-log/{entryId}`, { params: { path: { entryId } }, headers: headersOf(scope), signal }),
      ),
    staleTime: Infinity,
  });

export interface AuditFilter {
  readonly paymasterId?: string | undefined;
  readonly subject?: AuditEntry['subject'] | undefined;
  /** A person's id, or the first 8 digits of a token's id. */
  readonly actor?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The audit log of the account, newest first, page after page. */
export const auditPagesQuery = (accountId: string, filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ['account', accountId, 'audit-log', filter],
    queryFn: ({ pageParam, signal }) => {
      const query = withoutUndefined({ ...filter, ...(pageParam && { cursor: pageParam }) });
      return contentOf(
        api.GET(`${SDK}/account/audit-log`, { params: { query }, headers: headersOf({ accountId }), signal }),
      );
    },
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  });

/** The first part of the keys of all pages of tenants. */
export const tenantsKey = ['operator', 'tenants'] as const;

/** The accounts of the installation, newest first, page after page; for its operator. */
export const tenantPagesQuery = (search: string | undefined) =>
  infiniteQueryOptions({
    queryKey: [...tenantsKey, search],
    queryFn: ({ pageParam, signal }) => {
      const query = withoutUndefined({ search, ...(pageParam && { cursor: pageParam }) });
      return contentOf(api.GET(`${SDK}/operator/tenants`, { params: { query }, signal }));
    },
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  });

export const chainStatesQuery = queryOptions({
  queryKey: ['operator', 'chains'],
  queryFn: ({ signal }) => contentOf(api.GET(`${SDK}/operator/chains`, { signal })),
  refetchInterval: LIVE_MS,
});

export const mailAddressQuery = queryOptions({
  queryKey: ['mail-address'],
  queryFn: ({ signal }) => contentOf(api.GET(`${SDK}/person/mail-address`, { signal })),
});

export const secondFactorQuery = queryOptions({
  queryKey: ['second-factor'],
  queryFn: ({ signal }) => contentOf(api.GET(`${SDK}/person/second-factor`, { signal })),
});

export const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: ({ signal }) => contentOf(api.GET(`${SDK}/passkeys`, { signal })),
});

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => contentOf(api.GET(`${SDK}/sessions`, { signal })),
});
