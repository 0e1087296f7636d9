import { randomUUID } from 'node:crypto';
import { demoCounterAbi } from '@paymaster/contract-abis';
import { readStack } from '@paymaster/devnet';
import type { Browser, Page, Route } from 'playwright-core';
import { seriousViolations } from './support/axe';
import { openBrowser, openTab } from './support/browser';
import { emptyPaymaster, type EmptyPaymaster } from './support/empty-paymaster';
import { goTo } from './support/go-to';
import { signIn } from './support/sign-in';

let browser: Browser;
let page: Page;
/** Two paymasters of one account. */
let mine: EmptyPaymaster;
let other: { readonly name: string; readonly apiKey: string };
/** The path of the first, and of the projects. */
let home: string;
let projects: string;

beforeAll(async () => {
  browser = await openBrowser();
  mine = await emptyPaymaster();
  const name = `Second ${randomUUID()}`;
  const body = { name, type: 'HYBRID', chainId: readStack().chainId, version: '2.0.0' } as const;
  other = { name, apiKey: (await mine.client.call('post', '/paymaster', { body })).apiKey };
  ({ page } = await openTab(browser));
  home = await signIn(page, { account: mine.account });
  projects = `${home.replace(/\/p\/.*/, '')}/projects`;
});
afterAll(() => browser?.close());

const button = (name: string) => page.getByRole('button', { name, exact: true });
const alsoOn = () => page.getByRole('checkbox', { name: `${other.name} (local)` });

async function putIntoProject(name: string): Promise<void> {
  await button(`Project of ${name}`).click();
  await page.getByRole('combobox', { name: 'Project' }).fill('Shop');
  await button('Save the project').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

it('shows what belongs together, with one sum, on mainnets or on testnets', async () => {
  await goTo(page, projects);
  await page.getByRole('heading', { name: 'Paymasters', exact: true }).waitFor();
  await putIntoProject(mine.name);
  await page.getByRole('heading', { name: 'Without a project' }).waitFor();
  await putIntoProject(other.name);
  const table = page.getByRole('region', { name: 'Paymasters of Shop' });
  await table.getByRole('row', { name: 'Together 1 chain 0 0 0 USD 0 USD 0 USD' }).waitFor();
  expect(await table.getByRole('row').count()).toBe(4);
  expect(await seriousViolations(page)).toEqual([]);
  await page.getByRole('radiogroup', { name: 'Kind of chains' }).getByText('Testnets').click();
  await page.getByText('No paymaster is on a testnet').waitFor();
  const asTestnet = async (route: Route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replace('"testnet":false', '"testnet":true') });
  };
  await page.route(/\/sdk\/chains$/, asTestnet);
  await goTo(page, projects);
  await table.waitFor();
  await page.getByRole('radiogroup', { name: 'Kind of chains' }).getByText('Mainnets').click();
  await page.getByText('No paymaster is on a mainnet').waitFor();
  await page.unroute(/\/sdk\/chains$/);
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    await goTo(page, projects);
    await table.waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  }
});

it('registers a contract with its methods, and a policy, for the whole project in one go', async () => {
  await goTo(page, `${home}/contracts?add=true`);
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Counter');
  await dialog.getByRole('textbox', { name: 'Address' }).fill(readStack().demoContract.address);
  await dialog.getByRole('textbox', { name: 'ABI' }).fill(JSON.stringify(demoCounterAbi));
  await dialog.getByLabel('increment()').check();
  await alsoOn().check();
  expect(await seriousViolations(page)).toEqual([]);
  await button('Sponsor 1 method').click();
  await dialog.waitFor({ state: 'detached' });
  const { apiKey } = other;
  const expected = [{ name: 'Counter', whitelistedMethods: ['increment()'] }];
  expect(await mine.client.call('get', '/smart-contract', { apiKey })).toMatchObject(expected);
  expect(await mine.client.call('get', '/smart-contract', { apiKey: mine.apiKey })).toMatchObject(expected);

  await goTo(page, `${home}/policies`);
  await page.getByRole('button', { name: 'New policy' }).first().click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Ten a day');
  await alsoOn().check();
  await button('Make the policy').click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'Ten a day' }).waitFor();
  expect(await mine.client.call('get', '/paymaster-policy', { apiKey })).toMatchObject([{ name: 'Ten a day' }]);
});

it('says which of them refused, and why, and that the others have it', async () => {
  const body = { name: 'Extra', address: `0x${'e1'.repeat(20)}`, abi: JSON.stringify(demoCounterAbi) };
  await mine.client.call('post', '/smart-contract', { apiKey: other.apiKey, body });
  await goTo(page, `${home}/contracts?add=true`);
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Extra');
  await dialog.getByRole('textbox', { name: 'Address' }).fill(`0x${'e2'.repeat(20)}`);
  await dialog.getByRole('textbox', { name: 'ABI' }).fill(JSON.stringify(demoCounterAbi));
  await dialog.getByLabel('increment()').check();
  await alsoOn().check();
  await button('Sponsor 1 method').click();
  await page.getByText('Not everywhere').waitFor();
  const said = `${other.name} (local): Smart contract name already exists. The other has it.`;
  await page.getByText(said).waitFor();
  const contracts = await mine.client.call('get', '/smart-contract', { apiKey: mine.apiKey });
  expect(contracts.map(({ name }) => name)).toEqual(['Counter', 'Extra']);
});
