import { readStack } from '@paymaster/devnet';
import type { Browser, Page } from 'playwright-core';
import { seriousViolations } from './support/axe';
import { openBrowser, openTab } from './support/browser';
import { emptyPaymaster, type EmptyPaymaster } from './support/empty-paymaster';
import { goTo } from './support/go-to';
import { confirm, tryAgain } from './support/hands';
import { signIn } from './support/sign-in';

const REASON = 'It <b>drains</b> wallets.';

let browser: Browser;
let page: Page;
/** The account of somebody else, with a paymaster. */
let tenant: EmptyPaymaster;

beforeAll(async () => {
  browser = await openBrowser();
  tenant = await emptyPaymaster();
  ({ page } = await openTab(browser));
  await signIn(page, { isOperator: true });
});

afterAll(() => browser?.close());

/** The reason with which a gateway refuses the tenant's app. */
async function refusalOfGateway(): Promise<unknown> {
  const { paymasterRpc, chainId } = readStack();
  const response = await fetch(`${paymasterRpc}/api/v2/${chainId}/${tenant.apiKey}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'pm_supportedEntryPoints', params: [] }),
  });
  return ((await response.json()) as { error?: { message: string } }).error?.message;
}

it('finds a tenant, suspends its paymaster with a reason that owner and clients read, and resumes it', async () => {
  const owner = await openTab(browser);
  const home = await signIn(owner.page, { account: tenant.account });
  const banner = owner.page.getByText('The operator has suspended this paymaster');
  expect(await refusalOfGateway()).toBeUndefined();

  await goTo(page, '/');
  await page.getByRole('link', { name: 'Operator' }).click();
  await page.getByLabel('Account or paymaster').fill(tenant.account);
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('heading', { name: tenant.account }).waitFor();
  await page
    .getByText(/its wallets can spend 0 \S+; its operations of the last 30 days cost 0 /)
    .first()
    .waitFor();
  await page.getByRole('button', { name: `Suspend ${tenant.name}` }).click();
  await page.getByText('gateways refuse every request of this paymaster').waitFor();
  expect(await page.getByRole('button', { name: 'Suspend it' }).isDisabled()).toBe(true);
  await page.getByRole('textbox', { name: 'Reason' }).fill(REASON);
  expect(await seriousViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Suspend it' }).click();
  await page.getByText('suspended', { exact: true }).waitFor();
  await page.getByText(REASON).waitFor();
  expect(await refusalOfGateway()).toBe(`The operator of this service has suspended the paymaster: ${REASON}`);

  for (const path of ['', '/contracts', '/wallet']) {
    await goTo(owner.page, `${home}${path}`);
    await banner.waitFor();
    await owner.page.getByText(`Reason: ${REASON}`).waitFor();
  }
  expect(await owner.page.getByText('All is well').count()).toBe(0);
  expect(await seriousViolations(owner.page)).toEqual([]);
  await goTo(owner.page, `${home.replace(/\/p\/.*/, '')}/audit-log`);
  await owner.page.getByText('the operator of this installation').first().waitFor();
  await goTo(owner.page, home);
  await banner.waitFor();

  await page.getByRole('button', { name: `Resume ${tenant.name}` }).click();
  await page.getByText('Gateways sign for').waitFor();
  await confirm(page, 'Resume');
  await page.getByText('may sign', { exact: true }).waitFor();
  expect(await refusalOfGateway()).toBeUndefined();
  // The owner's page hears of it by itself.
  await banner.waitFor({ state: 'hidden' });
  await owner.context.close();
});

it('shows chains, contracts, signers and providers', async () => {
  await goTo(page, '/operator?view=chains');
  for (const name of ['Paymaster contracts', 'Signers', 'Providers']) {
    await page.getByRole('heading', { name, exact: true }).first().waitFor();
  }
  await page.getByText(/^block \d+, .+ old$/).waitFor();
  await page.getByText(/behind the head$/).waitFor();
  await page.getByText('v0.7: accepted').first().waitFor();
});

it('says that nothing fits a search, and how to search', async () => {
  await goTo(page, '/operator?search=nobody-is-called-so');
  await page.getByText('No account or paymaster fits this search').waitFor();
  await page.getByRole('button', { name: 'Clear the search' }).click();
  await page.getByText('No account or paymaster fits this search').waitFor({ state: 'hidden' });
});

it('says what happened when the dashboard refuses, and when no gateway answers', async () => {
  await page.route('**/operator/tenants**', (route) =>
    route.fulfill({ status: 503, json: { statusCode: 503, message: 'The service is temporarily unavailable' } }),
  );
  await goTo(page, '/operator');
  await page.getByText('The accounts could not be read').waitFor();
  await page.unroute('**/operator/tenants**');
  await tryAgain(page);
  await page.getByText('The accounts could not be read').waitFor({ state: 'hidden' });

  await page.route('**/operator/chains', async (route) => {
    const answer = (await (await route.fetch()).json()) as { data: { gateway: unknown }[] };
    const data = answer.data.map((chain) => ({ ...chain, gateway: null }));
    await route.fulfill({ json: { ...answer, data } });
  });
  await goTo(page, '/operator?view=chains');
  await page.getByText('No gateway answers for this chain').waitFor();
  await page.unroute('**/operator/chains');
});

it('is no screen of people who do not operate the installation', async () => {
  const owner = await openTab(browser);
  await goTo(owner.page, await signIn(owner.page, { account: tenant.account }));
  await owner.page.getByRole('link', { name: 'Team' }).waitFor();
  expect(await owner.page.getByRole('link', { name: 'Operator' }).count()).toBe(0);
  await goTo(owner.page, '/operator');
  await owner.page.waitForURL(/\/a\//);
  await owner.context.close();
});
