import { Secret, TOTP } from 'otpauth';
import type { Browser, Page } from 'playwright-core';
import { looksRight, seriousViolations } from './support/axe';
import { openBrowser, openTab } from './support/browser';
import { emptyPaymaster } from './support/empty-paymaster';
import { goTo } from './support/go-to';
import { confirm } from './support/hands';
import { signIn, signInCode } from './support/sign-in';

let browser: Browser;
let page: Page;

beforeAll(async () => {
  browser = await openBrowser();
  ({ page } = await openTab(browser));
});
afterAll(() => browser?.close());

const button = (name: string, on = page) => on.getByRole('button', { name, exact: true });
const codeOf = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });

async function signOut(): Promise<void> {
  await page.getByRole('button', { name: /^You: / }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).first().waitFor();
}

it('adds a second factor, signs in with its codes, and an owner asks others for one', async () => {
  const { account } = await emptyPaymaster();
  const home = (await signIn(page, { account })).replace(/\/p\/.*/, '');
  await page.goto(`${home}/you`);
  await button('Add a second factor').click();
  await page.getByRole('img', { name: 'QR code for the app of the device' }).waitFor();
  const secret = (await page.getByText(/^[A-Z2-7]{32}$/).textContent()) ?? '';
  await looksRight(page);
  await page.getByLabel('First code of the device').fill('000');
  await button('Confirm the device').click();
  await page.getByText('code is wrong, spent or too old.').waitFor();
  await page.getByLabel('First code of the device').fill(codeOf(secret));
  await button('Confirm the device').click();
  await page.getByText('Keep these ten recovery codes. They are shown once').waitFor();
  const [recoveryCode = ''] = ((await page.locator('pre').textContent()) ?? '').split('\n');
  await page.getByText('Recovery codes left: 10.').waitFor();
  await looksRight(page);
  await button('I have kept them').click();

  await signOut();
  await page.goto(`/sign-in#code=${await signInCode({ account })}`);
  await button('Sign in with the code').click();
  await page.getByRole('heading', { name: 'Your second factor' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Your second factor' }).waitFor();
  await page.goto('/sign-in#invitation=spent');
  await page.getByText('You are invited').waitFor();
  await looksRight(page);
  await page.getByLabel('Code of your device').fill('wrong');
  await button('Go on').click();
  await page.getByText('The code is wrong, spent or too old.').waitFor();
  await page.getByLabel('Code of your device').fill(recoveryCode);
  await page.keyboard.press('Enter');
  await page.getByText('You are signed in, but the invitation was not accepted').waitFor();
  await looksRight(page);
  await button('Go on').click();
  await page.getByRole('navigation', { name: 'Screens' }).waitFor({ state: 'attached' });

  await goTo(page, `${home}/team`);
  await page.getByLabel('Members who may spend or see API keys need a second factor or a passkey').click();
  await page.getByRole('checkbox', { checked: true }).waitFor();
  const { page: other, context } = await openTab(browser);
  await other.goto(`/sign-in#code=${await signInCode({ account, role: 'editor' })}`);
  await button('Sign in with the code', other).click();
  await other.getByText('This account wants a second factor').waitFor();
  expect(await seriousViolations(other)).toEqual([]);
  await other.getByRole('link', { name: 'add a second factor' }).click();
  await button('Add a second factor', other).waitFor();
  await context.close();
  await page.reload();
  await page.getByText('no second factor').waitFor();
  await looksRight(page);

  await goTo(page, `${home}/you`);
  await page.getByText('Recovery codes left: 9.').waitFor();
  await page.getByLabel('Code of the device, or a recovery code').fill(codeOf(secret, 1));
  await button('Remove the second factor').click();
  await confirm(page, 'Remove the second factor');
  await page.getByText('You have no second factor yet.').waitFor();
});
