import { readStack } from '@paymaster/devnet';
import type { Browser } from 'playwright-core';
import { openBrowser, openTab } from './support/browser';
import { pointer } from './support/hands';
import { playFirstRun } from './support/play-first-run';
import { runSnippet } from './support/run-snippet';
import { installWallet } from './support/wallet';

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

it('leads from a wallet and nothing else to a landed operation and a withdrawal, without a document', async () => {
  const stack = readStack();
  const name = `First run ${Date.now()}`;
  const { page, context } = await openTab(browser);
  const wallet = await installWallet(context);

  const snippet = await playFirstRun(page, pointer, name);
  expect(snippet).toContain(`${stack.paymasterRpc}/api/v1/${stack.chainId}/`);
  expect(snippet).toContain(stack.demoContract.address.toLowerCase());
  expect(await runSnippet('viem', snippet)).toMatch(/landed in 0x[0-9a-f]{64}/);
  await page.getByText('It landed in a block that is final now, and is paid.').waitFor();
  await page.getByText('increment()', { exact: true }).waitFor();
  await page
    .getByText(`${wallet.address.slice(0, 8).toLowerCase()}`)
    .first()
    .waitFor();

  await page.getByRole('button', { name: 'Operation Done' }).waitFor();
  await page.getByText('What is next: a limit.').waitFor();
  await page.getByRole('link', { name: 'Set a limit' }).click();
  await page.getByRole('heading', { name: 'Policies', exact: true }).waitFor();

  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByText('No limit is set').waitFor();
  expect(await page.getByText('All is well').count()).toBe(0);

  await page.getByRole('link', { name: 'Wallet', exact: true }).click();
  await page.getByText('Withdraw', { exact: true }).click();
  await page.getByLabel('Amount in ETH').fill('0.25');
  await page.getByRole('button', { name: 'Ask for the withdrawal' }).click();
  await page.getByText(/^You asked for 0\.25 ETH/).waitFor();
  await page.getByText(/^You can withdraw it (in \d|now)/).waitFor();
  expect(
    await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])'),
  ).not.toMatch(/api|token|key|0x/i);
  await context.close();
});
