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

interface Answer<T> {
  readonly data: T;
}

interface Me {
  readonly accounts: readonly { readonly accountId: string }[];
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

/**
 * Signs the tab in with a code, by REST: it opens no screen. Tests of the sign-in use its screen.
 *
 * @returns the path of the account's first paymaster, of the seeded account that of the seeded paymaster
 */
export async function signIn(page: Page, options: CodeOptions = {}): Promise<string> {
  const { request } = page;
  const sent = { headers: { origin: readStack().dashboard }, data: { code: await signInCode(options) } };
  const answer = await request.post('/api/v2/public/sdk/session/code', sent);
  if (!answer.ok()) throw new Error(await answer.text());
  const me = (await answer.json()) as Answer<Me>;
  const accountId = me.data.accounts[0]?.accountId ?? '';
  if (!options.account) return `/a/${accountId}/p/${readStack().paymaster.paymasterId}`;
  const paymasters = await request.get('/api/v2/public/sdk/account/paymasters', { headers: { accountId } });
  const [first] = ((await paymasters.json()) as Answer<readonly { paymasterId: string }[]>).data;
  return `/a/${accountId}/p/${first?.paymasterId}`;
}
