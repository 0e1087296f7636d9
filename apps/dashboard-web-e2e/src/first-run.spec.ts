import { readStack, simpleAccount } from '@paymaster/devnet';
import type { Browser } from 'playwright-core';
import { createPublicClient, http } from 'viem';
import { createBundlerClient, createPaymasterClient } from 'viem/account-abstraction';
import { openBrowser, openTab } from './support/browser';
import { pointer } from './support/hands';
import { playFirstRun } from './support/play-first-run';
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
  const [, gateway = ''] = /transport = http\('(http[^']+\/api\/v1\/[^']+)'\)/.exec(snippet) ?? [];
  expect(gateway).toContain(`${stack.paymasterRpc}/api/v1/${stack.chainId}/`);

  await sendWhenDepositCounts(gateway);
  await page.getByText('On chain in a final block, and paid.').waitFor();
  await page.getByText('increment()').waitFor();
  await page
    .getByText(`${wallet.address.slice(0, 8).toLowerCase()}`)
    .first()
    .waitFor();

  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByText('All is well').waitFor();

  await page.getByRole('link', { name: 'Wallet', exact: true }).click();
  await page.getByText('Withdraw', { exact: true }).click();
  await page.getByLabel('Amount in ETH').fill('0.25');
  await page.getByRole('button', { name: 'Ask for the withdrawal' }).click();
  await page.getByText(/^You asked for 0\.25 ETH/).waitFor();
  await page.getByText(/^It can be taken (in \d|now)/).waitFor();
  expect(
    await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])'),
  ).not.toMatch(/api|token|key|0x/i);
  await context.close();
});

/** Sends one call as the snippet says. The deposit counts once its block is final; until then the gateway refuses. */
async function sendWhenDepositCounts(gateway: string): Promise<void> {
  const stack = readStack();
  const account = await simpleAccount(stack, { version: '0.7' });
  const transport = http(gateway);
  const bundler = createBundlerClient({
    account,
    client: createPublicClient({ transport: http(stack.chainRpc) }),
    paymaster: createPaymasterClient({ transport }),
    transport,
    pollingInterval: 500,
  });
  const { address: to, callData: data } = stack.demoContract;
  for (;;) {
    try {
      const hash = await bundler.sendUserOperation({ calls: [{ to, data }] });
      await bundler.waitForUserOperationReceipt({ hash });
      return;
    } catch (error) {
      if (!/deposit|balance/i.test(String(error))) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }
}
