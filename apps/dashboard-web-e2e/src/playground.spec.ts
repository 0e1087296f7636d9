import { readStack } from '@paymaster/devnet';
import type { Browser, Page, Route } from 'playwright-core';
import { seriousViolations } from './support/axe';
import { openBrowser, openTab } from './support/browser';
import { pointer } from './support/hands';
import { playFirstRun } from './support/play-first-run';
import { installWallet } from './support/wallet';

const LAND = 'Land an operation now';

let browser: Browser;
let page: Page;

beforeAll(async () => {
  browser = await openBrowser();
  const { page: opened, context } = await openTab(browser, { mayAsk: new URL(readStack().paymasterRpc).origin });
  page = opened;
  await installWallet(context);
});
afterAll(() => browser?.close());

const steps = () => page.getByRole('list', { name: 'Steps of the operation' });
const keysInList = async () => {
  await page.getByRole('link', { name: 'Keys and code' }).click();
  await page.getByRole('heading', { name: 'Keys and code' }).waitFor();
  await page.getByText('No named key yet').waitFor();
};

/** A deposit counts when its block is final. Until then the paymaster refuses, and the reader tries again. */
async function land(): Promise<void> {
  const landed = page.getByText('It landed, and you paid for it');
  for (const deadline = Date.now() + 120_000; ;) {
    await page.getByRole('button', { name: /^Land (an operation now|another operation)$/ }).click();
    const refused = steps().getByRole('alert');
    await landed.or(refused).first().waitFor();
    if (await landed.isVisible()) return;
    const said = await refused.textContent();
    expect(said).toMatch(/deposit|wallet/i);
    if (Date.now() > deadline) throw new Error(`It never landed: ${said}`);
    await page.waitForTimeout(1_000);
  }
}

it('lands an operation of a new account from the page, says each step with its JSON, and leaves no key behind', async () => {
  await playFirstRun(page, pointer, `Playground ${Date.now()}`);
  await land();
  expect(await steps().getByRole('listitem').count()).toBe(6);
  await steps().getByText('JSON', { exact: true }).nth(4).click();
  const said = await page.getByLabel('What was said: Send it to the bundler').textContent();
  expect(said).toContain('eth_sendUserOperation');
  expect(await seriousViolations(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByRole('link', { name: 'Open the operation' }).click();
  await page.waitForURL(/\/operations\?hash=/);
  await page.getByText('increment()').first().waitFor();
  await keysInList();
});

it('is offered on no chain whose coin is worth something', async () => {
  const asMainnet = async (route: Route) => {
    const response = await route.fetch();
    const text = (await response.text()).replaceAll(/"chainId":31337/g, '"chainId":1');
    await route.fulfill({ response, body: text });
  };
  await page.getByRole('link', { name: 'First operation' }).click();
  await page.waitForURL(/\/start/);
  await page.goto(`${new URL(page.url()).pathname}?step=operation`);
  await page.getByRole('button', { name: LAND }).waitFor();
  await page.route(/\/sdk\/(chains|account\/paymasters)$/, asMainnet);
  await page.reload();
  await page.getByRole('heading', { name: 'Your app’s code' }).waitFor();
  await page.getByLabel('Code of your app', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: LAND }).count()).toBe(0);
});
