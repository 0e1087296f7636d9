import type { Browser, Page } from 'playwright-core';
import { looksRight } from './support/axe';
import { openBrowser, openTab } from './support/browser';
import { emptyPaymaster } from './support/empty-paymaster';
import { confirm } from './support/hands';
import { signIn } from './support/sign-in';

let browser: Browser;
let page: Page;
/** What the page sent. */
const sent: unknown[] = [];
const button = (name: string) => page.getByRole('button', { name, exact: true });

/** The local world has no mail server: the page is told that there is one, and the dashboard's answers are played. */
beforeAll(async () => {
  browser = await openBrowser();
  ({ page } = await openTab(browser));
  let address: string | null = null;
  await page.route(/\/(sign-in|you)([?#].*)?$/, async (route) => {
    const answer = await route.fetch();
    const body = (await answer.text()).replace('name="mail" content="off"', 'name="mail" content="on"');
    await route.fulfill({ response: answer, body });
  });
  await page.route(/\/(session\/mail-link|person\/mail-address(\/confirm)?)$/, async (route) => {
    const body = route.request().postDataJSON() as { address?: string } | null;
    const method = route.request().method();
    if (method !== 'GET') sent.push([method, new URL(route.request().url()).pathname.split('/sdk')[1], body]);
    if (route.request().url().endsWith('/confirm')) address = 'ada@example.org';
    if (method === 'DELETE') address = null;
    await route.fulfill({ json: { statusCode: 200, message: 'Played', data: { address } } });
  });
});
afterAll(() => browser?.close());

it('confirms an address, asks for a link without saying whether it is known, and removes the address', async () => {
  const { account } = await emptyPaymaster();
  await signIn(page, { account });
  await page.goto(`${/\/a\/[0-9a-f-]+/.exec(page.url())?.[0]}/you`);
  await page.getByText('No address is confirmed yet.').waitFor();
  await page.getByLabel('Mail address').fill('ada@example.org');
  await button('Send a code there').click();
  await page.getByLabel('Code of the mail').fill('pm_mail_x');
  await looksRight(page);
  await button('Confirm the address').click();
  await page.getByText('Links go to ada@example.org').waitFor();
  await button('Remove the address').click();
  await confirm(page, 'Remove the address');
  await page.getByText('No address is confirmed yet.').waitFor();

  await page.goto('/sign-in');
  await page.getByLabel('Mail address').fill('ada@example.org');
  await button('Mail me a link').click();
  await page.getByText('If this address is confirmed here, a link is on its way.').waitFor();
  await looksRight(page);
  expect(sent).toEqual([
    ['POST', '/person/mail-address', { address: 'ada@example.org' }],
    ['POST', '/person/mail-address/confirm', { code: 'pm_mail_x' }],
    ['DELETE', '/person/mail-address', null],
    ['POST', '/session/mail-link', { address: 'ada@example.org' }],
  ]);
});
