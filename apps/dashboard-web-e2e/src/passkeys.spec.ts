import type { Browser, BrowserContext, Page } from 'playwright-core';
import { seriousViolations } from './support/axe';
import { openBrowser, openTab } from './support/browser';
import { emptyPaymaster } from './support/empty-paymaster';
import { goTo } from './support/go-to';
import { confirm } from './support/hands';
import { Keyboard } from './support/keyboard';
import { signIn } from './support/sign-in';

let browser: Browser;
let context: BrowserContext;
let page: Page;
/** Puts a device into the browser, whose owner unlocks it, or does not. */
let plugIn: (isUnlocked: boolean) => Promise<void>;
let unplug: () => Promise<unknown> = async () => undefined;

beforeAll(async () => {
  browser = await openBrowser();
  ({ page, context } = await openTab(browser));
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  plugIn = async (isUnlocked) => {
    const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
        ...{ isUserVerified: isUnlocked, automaticPresenceSimulation: true },
      },
    });
    unplug = () => {
      unplug = async () => undefined;
      return devtools.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
    };
  };
});
afterEach(() => unplug());
afterAll(() => browser?.close());

const button = (name: string) => page.getByRole('button', { name, exact: true });
const row = (name: string) => page.getByRole('region', { name: 'Passkeys' }).getByRole('row', { name });

async function signOut(): Promise<void> {
  await page.getByRole('button', { name: /^You: / }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).first().waitFor();
}

it('adds a passkey by keys alone, names it, signs in with it, and removes it', async () => {
  const { account } = await emptyPaymaster();
  const you = (await signIn(page, { account })).replace(/\/p\/.*/, '/you');
  await plugIn(true);
  await page.goto(you);
  await page.getByText('You have no passkey yet.').waitFor();
  const keys = new Keyboard(page);
  await keys.write(page.getByLabel('Name of the device'), 'My phone');
  await keys.press(button('Add a passkey'));
  await row('My phone').getByText('never').waitFor();

  // The device has one already.
  await page.getByLabel('Name of the device').fill('Again');
  await button('Add a passkey').click();
  await page.getByText('This device has a passkey for you already.').waitFor();

  await button('Rename My phone').click();
  await page.getByLabel('New name of My phone').fill('My key');
  await page
    .locator('form', { has: page.getByLabel('New name of My phone') })
    .getByText('Save')
    .click();
  await row('My key').waitFor();
  expect(await seriousViolations(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await seriousViolations(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  await page.setViewportSize({ width: 1280, height: 900 });

  await signOut();
  expect(await seriousViolations(page)).toEqual([]);
  await button('Sign in with a passkey').click();
  await page.getByRole('navigation', { name: 'Screens' }).waitFor({ state: 'attached' });
  await goTo(page, you);
  await row('My key').getByText('never').waitFor({ state: 'hidden' });

  await button('Remove the passkey My key').click();
  await confirm(page, 'Remove');
  await page.getByText('You have no passkey yet.').waitFor();
  await signOut();
  await button('Sign in with a passkey').click();
  await page.getByText('The passkey is not known here').waitFor();
});

it('is not signed in by a device whose owner does not unlock it', async () => {
  await plugIn(false);
  await page.goto('/sign-in');
  await button('Sign in with a passkey').click();
  await page.getByText('No passkey was used: it was declined, or it took too long.').waitFor();
});

it('says that a session is too old to change how its person signs in, and leads to the sign-in and back', async () => {
  const { account } = await emptyPaymaster();
  await page.goto((await signIn(page, { account })).replace(/\/p\/.*/, '/you'));
  await plugIn(true);
  const message = 'Sign in again: how you sign in can be changed within 15 minutes of a sign-in only';
  await page.route('**/passkeys', (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({ status: 403, json: { statusCode: 403, message, reason: 'SIGN_IN_AGAIN' } })
      : route.continue(),
  );
  await page.getByLabel('Name of the device').fill('My phone');
  await button('Add a passkey').click();
  await page.getByText(message).waitFor();
  await button('Sign in again').click();
  await page.waitForURL(/\/sign-in\?from=.*you/);
});
