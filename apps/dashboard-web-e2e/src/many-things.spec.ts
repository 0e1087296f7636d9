import { DashboardClient, readStack } from '@paymaster/devnet';
import { until } from '@paymaster/domain/testing';
import type { Browser, Page } from 'playwright-core';
import { openBrowser, openTab } from './support/browser';
import { goTo } from './support/go-to';
import { signIn } from './support/sign-in';

const MOST_PX = 4_000;
/** Texts of the dialog, or of the screen where none is open, that go beyond it. */
const TEXTS_CUT_OFF = `(() => {
  const shown = document.querySelector('[role=dialog]') ?? document.querySelector('main');
  const { left, right } = shown.getBoundingClientRect();
  const texts = document.createTreeWalker(shown, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const cutOff = [];
  while (texts.nextNode()) {
    range.selectNodeContents(texts.currentNode);
    const box = range.getBoundingClientRect();
    if (box.width > 0 && (box.right > right + 0.5 || box.left < left - 0.5)) cutOff.push(texts.currentNode.textContent);
  }
  return cutOff;
})()`;

let browser: Browser;
let page: Page;
/** The path of the seeded paymaster. */
let seeded: string;

beforeAll(async () => {
  browser = await openBrowser();
  ({ page } = await openTab(browser));
  seeded = await signIn(page, { isOperator: true });
});

afterAll(() => browser?.close());

const data = (content: unknown) => ({ json: { statusCode: 200, message: '', data: content } });
const heightPx = () => page.evaluate<number>('document.documentElement.scrollHeight');

const methods = Array.from({ length: 300 }, (_, index) => `method${index}`);
const abi = JSON.stringify(
  methods.map((name) => ({ type: 'function', name, inputs: [], outputs: [], stateMutability: 'nonpayable' })),
);
const contracts = Array.from({ length: 200 }, (_, index) => ({
  name: `Contract ${index}`,
  address: `0x${index.toString(16).padStart(40, '0')}`,
  whitelistedMethods: methods,
  ...{ methods, abi },
}));

it('folds 200 contracts of 300 methods, and finds one of them', async () => {
  await page.route('**/sdk/smart-contract', (route) => route.fulfill(data(contracts)));
  await goTo(page, `${seeded}/contracts`);
  await page.getByRole('heading', { name: 'Contract 0', exact: true }).waitFor();
  expect(await heightPx()).toBeLessThan(MOST_PX);
  const search = page.getByRole('searchbox', { name: 'Search' });
  await search.fill('contract 137');
  await page.getByRole('heading', { name: 'Contract 137' }).waitFor();
  expect(await page.getByRole('heading', { level: 2 }).count()).toBe(1);
  expect(await page.getByText('method299()').count()).toBe(0);
  await page.getByRole('button', { name: 'Show all 300 methods' }).click();
  await page.getByText('method299()').waitFor();
  await search.fill('no such contract');
  await page.getByText('No contract has “no such contract”').waitFor();
  await search.fill('');
  await page.getByRole('button', { name: 'Show all 200 contracts' }).click();
  await page.getByRole('heading', { name: 'Contract 199' }).waitFor();
  await page.unroute('**/sdk/smart-contract');
});

it('shows a name of 100 letters whole, on cards and in dialogs of a phone', async () => {
  const name = 'W'.repeat(100);
  const invitation = { invitationId: 'one', role: 'viewer', roleName: name, name, expiresAt: new Date().toISOString() };
  await page.setViewportSize({ width: 390, height: 900 });
  await page.route('**/sdk/smart-contract', (route) => route.fulfill(data([{ ...contracts[0], name }])));
  await page.route('**/sdk/invitations', (route) => route.fulfill(data([invitation])));
  await page.route('**/sdk/auth-tokens', (route) => route.fulfill(data([])));
  await goTo(page, `${seeded}/contracts`);
  for (const button of [/^Change methods/, /^Remove/]) {
    await page.getByRole('button', { name: button }).click();
    await page.getByRole('dialog').getByText(name).waitFor();
    expect(await page.evaluate(TEXTS_CUT_OFF)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  }
  await goTo(page, `${seeded.replace(/\/p\/.*/, '')}/team`);
  await page.getByRole('region', { name: 'Invitations' }).waitFor();
  await page.getByText('No auth token is in use').waitFor();
  expect(await page.evaluate(TEXTS_CUT_OFF)).toEqual([]);
  for (const path of ['smart-contract', 'invitations', 'auth-tokens']) await page.unroute(`**/sdk/${path}`);
  await page.setViewportSize({ width: 1280, height: 900 });
});

it('folds the paymasters of an account for the operator, but not the one that he looks for', async () => {
  const paymasters = Array.from({ length: 200 }, (_, index) => ({
    ...{ paymasterId: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`, name: `Paymaster ${index}` },
    ...{ chainId: readStack().chainId, archivedAt: null, lastUsedAt: null, suspension: null },
  }));
  const tenant = {
    ...{ accountId: '00000000-0000-4000-8000-0000000000aa', name: 'Large', createdAt: new Date().toISOString() },
    ...{ members: 1, paymasters, funds: [] },
  };
  await page.route('**/sdk/operator/tenants*', (route) => route.fulfill(data({ tenants: [tenant], nextCursor: null })));
  await goTo(page, '/operator');
  await page.getByText('Paymaster 0', { exact: true }).waitFor();
  expect(await heightPx()).toBeLessThan(MOST_PX);
  expect(await page.getByText('Paymaster 150', { exact: true }).count()).toBe(0);
  await goTo(page, '/operator?search=Paymaster%20150');
  await page.getByText('Paymaster 150', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Show all 200 paymasters' }).click();
  await page.getByText('Paymaster 199', { exact: true }).waitFor();
  await page.unroute('**/sdk/operator/tenants*');
});

it('keeps the chosen paymaster on the screens of the account as a whole', async () => {
  await goTo(page, `${seeded}/operations`);
  const screens = page.getByRole('navigation', { name: 'Screens' });
  const chosen = screens.getByRole('combobox', { name: 'Paymaster' });
  const before = seeded.split('/p/')[1];
  const isKept = async () => {
    expect(await chosen.inputValue()).toBe(before);
    await screens.getByRole('link', { name: 'Operations' }).waitFor();
  };
  for (const name of ['Team', 'Audit log', 'Shared policies']) {
    await screens.getByRole('link', { name }).click();
    await page.getByRole('heading', { name, exact: true }).waitFor();
    await isKept();
  }
  await page.getByRole('button', { name: /^You: / }).click();
  await page.getByRole('menuitem', { name: 'You and your sessions' }).click();
  await page.waitForURL(/\/you/);
  await isKept();
  await page.reload();
  await chosen.waitFor();
  await isKept();
  await screens.getByRole('link', { name: 'Audit log' }).click();
  await page.getByLabel('What was changed').selectOption('contract');
  await page.waitForURL(/subject=contract/);
  await isKept();
  await page.getByRole('button', { name: 'Clear the filter' }).first().click();
  await page.waitForURL((url) => !url.search.includes('subject'));
  await isKept();
  expect(await page.getByRole('button', { name: 'Clear the filter' }).count()).toBe(0);
  await screens.getByRole('link', { name: 'Operations' }).click();
  await page.waitForURL(new RegExp(`${seeded}/operations$`));
});

it('folds a change of 30 lines after six of them', async () => {
  const { dashboard, authToken } = readStack();
  const client = new DashboardClient(dashboard, authToken);
  const { entries } = await client.call('get', '/account/audit-log', {});
  const made = { subject: 'contract', before: null, after: { whitelistedMethods: methods.slice(0, 30) } };
  const answer = data({ entries: [{ ...entries[0], ...made }], nextCursor: null });
  await page.route('**/sdk/account/audit-log*', (route) => route.fulfill(answer));
  await goTo(page, `${seeded.slice(0, seeded.indexOf('/p/'))}/audit-log`);
  await page.getByText('Whitelisted methods: method5').waitFor();
  expect(await page.getByText('Whitelisted methods: method6').count()).toBe(0);
  await page.getByRole('button', { name: 'Show all 30 lines' }).click();
  await page.getByText('Whitelisted methods: method29').waitFor();
  await page.unroute('**/sdk/account/audit-log*');
});

it('has few of 100 operations in the document, also where the window ends far above them', async () => {
  const { dashboard, authToken, paymaster } = readStack();
  const client = new DashboardClient(dashboard, authToken);
  const { apiKey } = paymaster;
  const { operations } = await client.call('get', '/operation', { apiKey, query: { limit: 1 } });
  const answer = data({ operations: Array.from({ length: 100 }, () => operations[0]), nextCursor: null });
  await page.route('**/sdk/operation?*', (route) => route.fulfill(answer));
  const rows = page.getByRole('table', { name: 'Operations' }).getByRole('row');
  await page.setViewportSize({ width: 320, height: 900 });
  await goTo(page, `${seeded}/operations`);
  await page.getByText('All 100 are shown').waitFor({ state: 'attached' });
  expect(await rows.count()).toBeLessThan(30);
  await page.getByRole('button', { name: 'More filters' }).click();
  await page.setViewportSize({ width: 320, height: 120 });
  await until(async () => (await rows.count()) === 0, 'no row is in the document', 10_000);
  await page.unroute('**/sdk/operation?*');
});
