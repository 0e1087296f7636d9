import { randomUUID } from 'node:crypto';
import { demoCounterAbi } from '@paymaster/contract-abis';
import { readStack } from '@paymaster/devnet';
import { until } from '@paymaster/domain/testing';
import type { Browser, Page } from 'playwright-core';
import { atRest } from './support/at-rest';
import { seriousViolations } from './support/axe';
import { openBrowser, openTab } from './support/browser';
import { emptyPaymaster, type EmptyPaymaster } from './support/empty-paymaster';
import { goTo } from './support/go-to';
import { requestOfApp } from './support/request-of-app';
import { signIn } from './support/sign-in';

let browser: Browser;
let page: Page;
let mine: EmptyPaymaster;
/** The path of the paymaster. */
let home: string;

beforeAll(async () => {
  browser = await openBrowser();
  mine = await emptyPaymaster();
  ({ page } = await openTab(browser));
  home = await signIn(page, { account: mine.account });
});

afterAll(() => browser?.close());

/** Sends what an app sends, and waits until it is in the log. @returns its id */
async function refuse(change: (body: string) => string = (body) => body): Promise<string> {
  const { paymasterRpc, chainId } = readStack();
  const requestId = `r-${randomUUID()}`;
  await fetch(`${paymasterRpc}/api/v2/${chainId}/${mine.apiKey}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': requestId },
    body: change(await requestOfApp()),
  });
  const find = () => mine.client.call('get', '/request-log', { apiKey: mine.apiKey, query: { requestId } });
  await until(async () => (await find()).entries.length > 0);
  return requestId;
}

const rows = () => page.getByRole('region', { name: 'Requests' }).getByRole('row');
const show = (requestId: string) => page.getByRole('button', { name: `Show the request ${requestId}` });
const drawer = () => page.getByRole('dialog', { name: 'Request' });

it('finds what a gateway refused by its id, shows why, and asks again: the answer is that of now', async () => {
  const [requestId, other] = [await refuse(), await refuse()];
  await goTo(page, `${home}/requests`);
  await show(other).waitFor();
  await page.getByRole('textbox', { name: 'Search' }).fill(requestId);
  await show(other).waitFor({ state: 'detached' });
  expect(page.url()).toContain(`search=${requestId}`);
  await show(requestId).click();
  await drawer().getByText('NO_POLICIES_SET').waitFor();
  await drawer().getByText('pm_getPaymasterStubData').waitFor();
  await atRest(page);
  expect(await seriousViolations(page)).toEqual([]);

  const { address } = readStack().demoContract;
  const contract = {
    name: 'Counter',
    address,
    abi: JSON.stringify(demoCounterAbi),
    whitelistedMethods: ['increment()'],
  };
  await mine.client.call('post', '/smart-contract', { apiKey: mine.apiKey, body: contract });
  await drawer().getByRole('link', { name: 'Would it be sponsored now?' }).click();
  await page
    .getByText(`The operation of the request ${requestId}, as it was sent. The answer is that of now.`)
    .waitFor();
  expect(await page.getByRole('textbox', { name: 'Operation' }).inputValue()).toContain('"callData"');
  await page.getByText('on Counter').first().waitFor();
  await page.getByText('FUNDING_WALLET_MISSING').waitFor();
  expect(await seriousViolations(page)).toEqual([]);
});

it('finds by answer, method, key and period, each in the URL, and says where nothing fits', async () => {
  const wrong = await refuse((body) =>
    body.replace('pm_getPaymasterStubData', 'pm_getPaymasterData').replace('"0x7a69"', '"0x1"'),
  );
  const right = await refuse();
  await goTo(page, `${home}/requests?outcome=invalid`);
  await show(wrong).waitFor();
  expect(await show(right).count()).toBe(0);
  await page.getByRole('combobox', { name: 'Answer' }).selectOption('refused');
  await show(right).waitFor();
  expect(await show(wrong).count()).toBe(0);
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await page.getByRole('combobox', { name: 'Method' }).selectOption('pm_getPaymasterData');
  await show(wrong).waitFor();
  await show(right).waitFor({ state: 'detached' });
  await page.goBack();
  await show(right).waitFor();
  await goTo(page, `${home}/requests?key=main&to=2020-01-01`);
  await page.getByText('No request fits this filter').waitFor();
});

it('is where the search for operations leads that finds nothing', async () => {
  const wrong = await refuse((body) => body.replace('"0x7a69"', '"0x1"'));
  await goTo(page, `${home}/operations?search=${wrong}`);
  await page.getByRole('link', { name: 'Look for it in the request log' }).click();
  await show(wrong).waitFor();
});

it('fits a phone, in the dark too', async () => {
  await page.setViewportSize({ width: 390, height: 800 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await goTo(page, `${home}/requests`);
  await rows().nth(1).waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  expect(await seriousViolations(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 900 });
});

it('is erased by those who may change settings, once they have confirmed it', async () => {
  const { page: viewers } = await openTab(browser);
  await signIn(viewers, { account: mine.account, role: 'viewer' });
  await goTo(viewers, `${home}/requests`);
  await viewers.getByRole('region', { name: 'Requests' }).waitFor();
  expect(await viewers.getByRole('button', { name: 'Erase all requests' }).count()).toBe(0);

  await goTo(page, `${home}/requests`);
  await page.getByRole('button', { name: 'Erase all requests' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Keep it' }).click();
  await rows().first().waitFor();
  await page.locator('#main').getByRole('button', { name: 'Erase all requests' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Erase all requests' }).click();
  await page.getByText('No request was refused').waitFor();
  await goTo(page, `${home}/../../audit-log`);
  await page
    .getByText(/^Request log erased at: /)
    .first()
    .waitFor();
});
