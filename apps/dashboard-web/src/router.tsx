import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { ApiError } from './api/api-error';
import { meQuery, paymastersQuery } from './api/queries';
import { whenReachable } from './api/when-reachable';
import { queryClient, sessionEnded } from './query-client';
import { Coming } from './shell/coming';
import { CrashScreen } from './shell/crash-screen';
import { PaymasterFrame } from './shell/paymaster-frame';
import { NotFoundScreen } from './shell/not-found-screen';
import { Shell } from './shell/shell';
import { useConnection } from './shell/use-connection';
import { text } from './browser/search-params';

/** A screen that is loaded when it is first opened; without a connection, when that is back. */
const screen: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(() => whenReachable(load), name);

const overviewScreen = screen(() => import('./screens/overview/overview-screen'), 'OverviewScreen');

/** Of screens of an account as a whole: the paymaster that was looked at before stays chosen. */
function keepChosen<T extends { at?: string | undefined }>(way: { search: T; next: (search: T) => T }): T {
  const result = way.next(way.search);
  return { ...result, at: result.at ?? way.search.at };
}

const root = createRootRoute({
  component: function Root() {
    useConnection();
    return <Outlet />;
  },
  notFoundComponent: NotFoundScreen,
  errorComponent: CrashScreen,
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search): { from?: string | undefined; ended?: true | undefined } => ({
    from: text(search['from']),
    ended: search['ended'] === true ? true : undefined,
  }),
  component: screen(() => import('./shell/sign-in-screen'), 'SignInScreen'),
});

/** Everything behind the sign-in. Without a session the way leads there, and back to where it was. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  pendingComponent: Coming,
  pendingMs: 0,
  pendingMinMs: 0,
  beforeLoad: async ({ location }) => {
    // Who is known stays so while it is asked again: no screen waits for that.
    const me = await queryClient.ensureQueryData({ ...meQuery, revalidateIfStale: true }).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 401) {
        throw redirect({ to: '/sign-in', search: { from: location.href === '/' ? undefined : location.href } });
      }
      throw error;
    });
    return { me };
  },
});

/** To the account that was used last, or the first. */
const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  beforeLoad: ({ context: { me } }) => {
    const account = me.accounts[0];
    throw account
      ? redirect({ to: '/a/$accountId', params: { accountId: account.accountId } })
      : redirect({ to: '/no-account' });
  },
});

const noAccount = createRoute({
  getParentRoute: () => signedIn,
  path: '/no-account',
  component: screen(() => import('./screens/account/no-account-screen'), 'NoAccountScreen'),
});

/** For the operator of the installation; others are led to their account. */
const operator = createRoute({
  getParentRoute: () => signedIn,
  path: '/operator',
  validateSearch: (search): { view?: 'chains' | undefined; search?: string | undefined } => ({
    view: search['view'] === 'chains' ? 'chains' : undefined,
    search: text(search['search']),
  }),
  beforeLoad: ({ context: { me } }) => {
    if (!me.person.isOperator) throw redirect({ to: '/' });
  },
  component: screen(() => import('./screens/operator/operator-screen'), 'OperatorScreen'),
});

const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/a/$accountId',
  // The paymaster that was looked at last; screens of the account as a whole keep it.
  validateSearch: (search): { at?: string | undefined } => ({ at: text(search['at']) }),
  component: Shell,
  beforeLoad: ({ context: { me }, params }) => {
    if (!me.accounts.some(({ accountId }) => accountId === params.accountId)) throw redirect({ to: '/' });
  },
});

/** To the account's first paymaster; where there is none, to the first run. */
const accountHome = createRoute({
  getParentRoute: () => account,
  path: '/',
  beforeLoad: async ({ params: { accountId } }) => {
    const [paymaster] = await queryClient.fetchQuery(paymastersQuery(accountId));
    throw paymaster
      ? redirect({
          to: '/a/$accountId/p/$paymasterId',
          params: { accountId, paymasterId: paymaster.paymasterId },
          search: {},
        })
      : redirect({ to: '/a/$accountId/new', params: { accountId } });
  },
});

const newPaymaster = createRoute({
  getParentRoute: () => account,
  path: '/new',
  component: screen(() => import('./screens/first-run/new-paymaster-screen'), 'NewPaymasterScreen'),
});

const you = createRoute({
  getParentRoute: () => account,
  path: '/you',
  search: { middlewares: [(way) => keepChosen(way)] },
  component: screen(() => import('./screens/account/you-screen'), 'YouScreen'),
});

const team = createRoute({
  getParentRoute: () => account,
  path: '/team',
  search: { middlewares: [(way) => keepChosen(way)] },
  component: screen(() => import('./screens/team/team-screen'), 'TeamScreen'),
});

const auditLog = createRoute({
  getParentRoute: () => account,
  path: '/audit-log',
  validateSearch: (search) => ({
    paymaster: text(search['paymaster']),
    subject: text(search['subject']),
    who: text(search['who']),
    from: text(search['from']),
    to: text(search['to']),
  }),
  search: { middlewares: [(way) => keepChosen(way)] },
  component: screen(() => import('./screens/audit/audit-screen'), 'AuditScreen'),
});

const sharedPolicies = createRoute({
  getParentRoute: () => account,
  path: '/shared-policies',
  validateSearch: (search) => ({ open: text(search['open']) }),
  search: { middlewares: [(way) => keepChosen(way)] },
  component: screen(() => import('./screens/shared-policies/shared-policies-screen'), 'SharedPoliciesScreen'),
});

const projects = createRoute({
  getParentRoute: () => account,
  path: '/projects',
  validateSearch: (search): { nets?: 'mainnets' | 'testnets' | undefined } => ({
    nets: search['nets'] === 'mainnets' || search['nets'] === 'testnets' ? search['nets'] : undefined,
  }),
  search: { middlewares: [(way) => keepChosen(way)] },
  component: screen(() => import('./screens/projects/projects-screen'), 'ProjectsScreen'),
});

const paymaster = createRoute({ getParentRoute: () => account, path: '/p/$paymasterId', component: PaymasterFrame });

const overview = createRoute({
  getParentRoute: () => paymaster,
  path: '/',
  validateSearch: (
    search,
  ): {
    span?: '30d' | undefined;
    by?: string | undefined;
    chart?: 'money' | 'gas' | undefined;
    as?: 'days' | undefined;
  } => ({
    span: search['span'] === '30d' ? '30d' : undefined,
    chart: search['chart'] === 'money' || search['chart'] === 'gas' ? search['chart'] : undefined,
    as: search['as'] === 'days' ? 'days' : undefined,
    by: text(search['by']),
  }),
  component: overviewScreen,
});

const start = createRoute({
  getParentRoute: () => paymaster,
  path: '/start',
  validateSearch: (search) => ({ step: text(search['step']), sdk: text(search['sdk']) }),
  component: screen(() => import('./screens/first-run/start-screen'), 'StartScreen'),
});

const operations = createRoute({
  getParentRoute: () => paymaster,
  path: '/operations',
  validateSearch: (search) => ({
    search: text(search['search']),
    state: text(search['state']),
    reason: text(search['reason']),
    contract: text(search['contract']),
    method: text(search['method']),
    policy: text(search['policy']),
    from: text(search['from']),
    to: text(search['to']),
    columns: text(search['columns']),
    sender: text(search['sender']),
    hash: text(search['hash']),
    transaction: text(search['transaction']),
    request: text(search['request']),
    open: text(search['open']),
  }),
  component: screen(() => import('./screens/operations/operations-screen'), 'OperationsScreen'),
});

const requests = createRoute({
  getParentRoute: () => paymaster,
  path: '/requests',
  validateSearch: (search) => ({
    search: text(search['search']),
    outcome: text(search['outcome']),
    method: text(search['method']),
    key: text(search['key']),
    from: text(search['from']),
    to: text(search['to']),
    open: text(search['open']),
  }),
  component: screen(() => import('./screens/requests/requests-screen'), 'RequestsScreen'),
});

const explain = createRoute({
  getParentRoute: () => paymaster,
  path: '/explain',
  // A request of the request log, whose operation is explained.
  validateSearch: (search): { request?: string | undefined } => ({ request: text(search['request']) }),
  component: screen(() => import('./screens/explain/explain-screen'), 'ExplainScreen'),
});

const contracts = createRoute({
  getParentRoute: () => paymaster,
  path: '/contracts',
  validateSearch: (search) => ({ open: text(search['open']), add: search['add'] === true ? true : undefined }),
  component: screen(() => import('./screens/contracts/contracts-screen'), 'ContractsScreen'),
});

const wallet = createRoute({
  getParentRoute: () => paymaster,
  path: '/wallet',
  component: screen(() => import('./screens/wallet/wallet-screen'), 'WalletScreen'),
});

const policies = createRoute({
  getParentRoute: () => paymaster,
  path: '/policies',
  validateSearch: (search) => ({ open: text(search['open']) }),
  component: screen(() => import('./screens/policies/policies-screen'), 'PoliciesScreen'),
});

const keys = createRoute({
  getParentRoute: () => paymaster,
  path: '/keys',
  validateSearch: (search) => ({ sdk: text(search['sdk']) }),
  component: screen(() => import('./screens/keys/keys-screen'), 'KeysScreen'),
});

const tokens = createRoute({
  getParentRoute: () => paymaster,
  path: '/tokens',
  component: screen(() => import('./screens/tokens/tokens-screen'), 'TokensScreen'),
});

const alerts = createRoute({
  getParentRoute: () => paymaster,
  path: '/alerts',
  validateSearch: (search) => ({ open: text(search['open']) }),
  component: screen(() => import('./screens/alerts/alerts-screen'), 'AlertsScreen'),
});

const webhooks = createRoute({
  getParentRoute: () => paymaster,
  path: '/webhooks',
  validateSearch: (search) => ({ open: text(search['open']) }),
  component: screen(() => import('./screens/webhooks/webhooks-screen'), 'WebhooksScreen'),
});

const settings = createRoute({
  getParentRoute: () => paymaster,
  path: '/settings',
  component: screen(() => import('./screens/settings/settings-screen'), 'SettingsScreen'),
});

const routeTree = root.addChildren([
  signIn,
  signedIn.addChildren([
    home,
    noAccount,
    operator,
    account.addChildren([
      accountHome,
      newPaymaster,
      you,
      team,
      auditLog,
      sharedPolicies,
      projects,
      paymaster.addChildren([
        overview,
        start,
        operations,
        requests,
        explain,
        contracts,
        wallet,
        policies,
        keys,
        tokens,
        alerts,
        webhooks,
        settings,
      ]),
    ]),
  ]),
]);

export const router = createRouter({ routeTree, defaultPreload: 'intent', defaultErrorComponent: CrashScreen });

// The screen is loaded while it is asked who the person is, and which paymaster the account has.
const asked = router.matchRoutes(router.latestLocation).map(({ routeId }) => routeId as keyof typeof router.routesById);
if (asked.includes(signedIn.id)) void queryClient.prefetchQuery(meQuery);
for (const routeId of asked) void router.loadRouteChunk(router.routesById[routeId]);
if (asked.includes(home.id) || asked.includes(accountHome.id)) void overviewScreen.preload?.();

sessionEnded.addEventListener('ended', () => {
  const { href, pathname } = router.state.location;
  // Who was not signed in has lost no session, and is on the way to the sign-in already.
  if (pathname === '/sign-in' || !queryClient.getQueryData(meQuery.queryKey)) return;
  queryClient.clear();
  void router.navigate({ to: '/sign-in', search: { from: href, ended: true } });
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
