import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readStack } from '@paymaster/devnet';
import { until } from '@paymaster/domain/testing';
import type { Browser } from 'playwright-core';
import { looksRight } from './support/axe';
import { openBrowser, openTab, type Tab } from './support/browser';
import { emptyPaymaster } from './support/empty-paymaster';
import { confirm } from './support/hands';
import { signIn } from './support/sign-in';

const ADDRESS = `ada.${randomUUID()}@example.org`;

let browser: Browser;
let tab: Tab;
const button = (name: string) => tab.page.getByRole('button', { name, exact: true });
/** What the pattern finds in a mail to the address. */
const inMail = (pattern: RegExp) =>
  until(() => pattern.exec(readFileSync(readStack().mailLog, 'utf8').split(`To: ${ADDRESS}\n`).slice(1).join())?.[0]);

beforeAll(async () => {
  browser = await openBrowser();
  tab = await openTab(browser);
});
afterAll(() => browser?.close());

it('an address is confirmed by the code of a mail, and a mailed link signs in once, after a press', async () => {
  const { account } = await emptyPaymaster();
  const { page, context } = tab;
  const you = (await signIn(page, { account })).replace(/\/p\/.*/, '/you');
  await page.goto(you);
  await page.getByText('No address is confirmed yet.').waitFor();
  await page.getByLabel('Mail address').fill(ADDRESS);
  await button('Send a code there').click();
  await page.getByLabel('Code of the mail').fill(await inMail(/pm_mail_[\w-]+/));
  await looksRight(page);
  await button('Confirm the address').click();
  await page.getByText(`Links go to ${ADDRESS}`).waitFor();

  await context.clearCookies();
  await page.goto('/sign-in');
  await page.getByLabel('Mail address').fill(ADDRESS);
  await button('Mail me a link').click();
  await page.getByText('If this address is confirmed here, a link is on its way.').waitFor();
  await looksRight(page);
  const link = await inMail(/http\S+#code=pm_code_[\w-]+/);
  await page.goto(link);
  await page.getByText('Your link brought it.').waitFor();
  expect((await context.cookies()).some(({ name }) => name.endsWith('-session'))).toBe(false);
  await button('Sign in with the code').click();
  await page.getByRole('navigation', { name: 'Screens' }).waitFor({ state: 'attached' });

  await page.goto(link);
  await button('Sign in with the code').click();
  await page.getByText('You are not signed in').waitFor();

  await page.goto(you);
  await button('Remove the address').click();
  await confirm(page, 'Remove the address');
  await page.getByText('No address is confirmed yet.').waitFor();
});
