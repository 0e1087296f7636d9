import { demoCounterAbi } from '@paymaster/contract-abis';
import { readStack } from '@paymaster/devnet';
import type { Page } from 'playwright-core';
import type { Hands } from './hands';

/**
 * From a wallet and nothing else to the code that sponsors the demo contract: signs in, makes an account and a paymaster,
 * picks a method, links the wallet and fills its deposit.
 *
 * @param name of the account and of the paymaster; no other may have it
 * @returns the code for viem that the page shows
 */
export async function playFirstRun(page: Page, hands: Hands, name: string): Promise<string> {
  const button = (label: string) => page.getByRole('button', { name: label });
  await page.goto('/');
  await hands.press(button('Sign in with Test wallet'));
  await hands.write(page.getByLabel('Name of the account'), name);
  await hands.press(button('Make the account'));

  await page.getByRole('heading', { name: 'New paymaster' }).waitFor();
  await hands.write(page.getByRole('textbox', { name: 'Name' }), name);
  await hands.press(page.getByRole('radio', { name: 'local' }));
  await hands.press(button('Make the paymaster'));

  await page.getByRole('heading', { name: 'First operation' }).waitFor();
  await hands.write(page.getByRole('textbox', { name: 'Name' }), 'Counter');
  await hands.write(page.getByRole('textbox', { name: 'Address' }), readStack().demoContract.address);
  await hands.write(page.getByRole('textbox', { name: 'ABI' }), JSON.stringify(demoCounterAbi));
  await hands.press(page.getByLabel('increment()'));
  await hands.press(button('Sponsor 1 method'));

  await page.getByText(`Account: "${name}"`).waitFor();
  await hands.press(button('Sign with Test wallet'));

  await hands.write(page.getByLabel('Amount in ETH'), '1');
  await hands.press(button('Deposit with Test wallet'));

  await page.getByText('Waiting for the first request').waitFor();
  await hands.press(button('Put the main key into the code'));
  await button('Take the main key out of the code').waitFor();
  return page.getByLabel('Code of your app', { exact: true }).innerText();
}
