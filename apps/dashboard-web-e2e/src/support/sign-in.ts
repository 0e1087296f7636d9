import { readStack } from '@paymaster/devnet';
import type { Page } from 'playwright-core';
import { accountCommands } from './account-commands';

/** The account that the local world is seeded with. */
const SEEDED_ACCOUNT = 'demo';

interface CodeOptions {
  readonly account?: string;
  readonly role?: 'owner' | 'editor' | 'viewer' | 'support';
  /** Makes the person an operator of the installation too. */
  readonly isOperator?: true;
}

/** A code with which a person signs in once, made by the operator's command. */
export async function signInCode({
  account = SEEDED_ACCOUNT,
  role = 'owner',
  isOperator,
}: CodeOptions = {}): Promise<string> {
  const { databaseUrl, dashboard } = readStack();
  // Who operates is another person than the member of the same role.
  const who = ['--person', `e2e ${isOperator ? 'operator' : role}`, ...(isOperator ? ['--operator'] : [])];
  const args = ['sign-in-code', '--account', account, '--role', role, ...who];
  const env = { DATABASE_URL: databaseUrl, PUBLIC_URL: dashboard };
  return (await accountCommands.ask<{ code: string }>(env, ...args)).code;
}

/** Signs in by the link with a code, and waits for the first screen. @returns the path of the seeded paymaster */
export async function signIn(page: Page, options: CodeOptions = {}): Promise<string> {
  await page.goto(`/sign-in#code=${await signInCode(options)}`);
  await page.getByRole('button', { name: 'Sign in with the code' }).click();
  await page.getByRole('navigation', { name: 'Screens' }).waitFor({ state: 'attached' });
  await page.waitForURL(/\/a\/[0-9a-f-]+\/p\/[0-9a-f-]+/);
  const [account = ''] = /\/a\/[0-9a-f-]+/.exec(page.url()) ?? [];
  return `${account}/p/${readStack().paymaster.paymasterId}`;
}
