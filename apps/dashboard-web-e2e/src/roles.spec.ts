import type { Browser, Page } from 'playwright-core';
import { seriousViolations } from './support/axe';
import { openBrowser, openTab } from './support/browser';
import { emptyPaymaster } from './support/empty-paymaster';
import { goTo } from './support/go-to';
import { confirm } from './support/hands';
import { Keyboard } from './support/keyboard';
import { signIn } from './support/sign-in';

let browser: Browser;
let page: Page;
let account: string;
const button = (name: string) => page.getByRole('button', { name, exact: true });

beforeAll(async () => {
  browser = await openBrowser();
  ({ account } = await emptyPaymaster());
  ({ page } = await openTab(browser));
  await signIn(page, { account });
});
afterAll(() => browser?.close());

async function give(role: string): Promise<void> {
  const saved = page.waitForResponse((answer) => answer.request().method() === 'PATCH' && answer.ok());
  await page.getByLabel('Role of e2e viewer').selectOption({ label: role });
  await saved;
}

it('makes a role by keys alone, gives it to a member, who sees and does what it says, and removes it', async () => {
  const member = await openTab(browser);
  const own = await signIn(member.page, { account, role: 'viewer' });
  const home = own.replace(/\/p\/.*/, '');
  await goTo(page, `${home}/team`);
  const keys = new Keyboard(page);
  await keys.press(button('New role'));
  await keys.write(page.getByLabel('Name of the role'), 'Finance');
  await keys.press(page.getByLabel('Money', { exact: true }));
  expect(await seriousViolations(page)).toEqual([]);
  await keys.press(button('Save the role'));
  await page.getByRole('cell', { name: 'Read and money', exact: true }).waitFor();

  await goTo(member.page, `${own}/wallet`);
  await member.page.getByText('Your role does not let you link a wallet').waitFor();
  await give('Finance');
  await member.page.reload();
  await member.page.getByRole('heading', { name: 'Wallet' }).first().waitFor();
  await member.page.getByText('Your role does not let you link a wallet').waitFor({ state: 'hidden' });
  await goTo(member.page, `${home}/team`);
  await member.page.getByText('Your role here is Finance.').waitFor();
  expect(await member.page.getByRole('link', { name: 'Keys and code' }).count()).toBe(0);

  await button('Edit the role Finance').click();
  await page.getByLabel('Team', { exact: true }).check();
  await button('Save the role').click();
  await page.getByRole('cell', { name: 'Read, money and team', exact: true }).waitFor();
  await member.page.reload();
  await member.page.getByRole('region', { name: 'Members' }).waitFor();
  // Nobody gives rights that he does not have.
  await member.page.getByLabel('Role of e2e viewer').selectOption({ label: 'Owner' });
  await member.page.getByText('Nobody gives, changes or takes away rights that he does not have himself').waitFor();

  await button('Remove the role Finance').click();
  await confirm(page, 'Remove');
  await page.getByText('Members have this role').waitFor();
  await button('Keep it').click();
  await give('Support');
  await button('Remove the role Finance').click();
  await confirm(page, 'Remove');
  await page.getByText('The account has made no role.').waitFor();
  await page.setViewportSize({ width: 390, height: 800 });
  await button('New role').click();
  expect(await seriousViolations(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  await member.context.close();
});
