import { faker } from '@faker-js/faker';
import { Wallet, type HDNodeWallet } from 'ethers';
import { createSiweMessage } from 'viem/siwe';
import { AccountsService } from '../accounts/accounts.service';
import { Memberships } from '../people/memberships';
import type { Role } from '../people/role';
import { Sessions } from '../people/sessions';
import { CHAIN_ID, databaseOf, PAGE, type DashboardUnderTest, type TestAnswer } from './dashboard-under-test';

/** A person who is signed in. */
export interface TestPerson {
  readonly personId: string;
  readonly cookie: string;
}

/** The headers that the page sends for a person. */
export const fromPage = (cookie: string, accountId?: string): Record<string, string> => ({
  ...{ cookie, origin: PAGE },
  ...(accountId && { accountId }),
});

/** A member of the account of that name, signed in. */
export async function signedInMember(
  dashboard: DashboardUnderTest,
  accountName: string,
  role: Role,
): Promise<TestPerson & { readonly accountId: string }> {
  const { app } = dashboard;
  const account = await app.get(AccountsService).findOrCreate(accountName);
  const wish = { name: faker.string.uuid(), role, isOperator: false };
  const { id: personId } = await app.get(Memberships, { strict: false }).findOrAdd(account, wish);
  const { manager } = databaseOf(dashboard);
  const token = await app.get(Sessions, { strict: false }).open(manager, personId, 'a test');
  return { accountId: account.id, personId, cookie: `__Host-paymaster-session=${token}` };
}

/** The cookie that an answer sets, as a browser sends it. */
export function cookieOf({ headers }: TestAnswer): string {
  return String(headers['set-cookie']).split(';', 1)[0] ?? '';
}

/** A message of ERC-4361 as the page makes it, with a fresh nonce. */
export async function siweMessage(
  dashboard: DashboardUnderTest,
  address: string,
  changes: Partial<Parameters<typeof createSiweMessage>[0]> = {},
): Promise<string> {
  const { data } = (await dashboard.call({ method: 'GET', path: '/session/nonce' })).body;
  return createSiweMessage({
    ...{ address: address as `0x${string}`, chainId: CHAIN_ID, domain: new URL(PAGE).host, uri: PAGE, version: '1' },
    ...{ nonce: String(data?.['nonce']), statement: 'Sign in to the dashboard', ...changes },
  });
}

/** Signs in with a wallet as the page does. @param more fields of the body besides, or in place of others */
export async function signInWithWallet(
  dashboard: DashboardUnderTest,
  wallet: Wallet | HDNodeWallet,
  more: object = {},
): Promise<TestAnswer> {
  const message = await siweMessage(dashboard, wallet.address);
  const body = { message, signature: await wallet.signMessage(message), ...more };
  return dashboard.call({ method: 'POST', path: '/session/wallet', headers: { origin: PAGE }, body });
}
