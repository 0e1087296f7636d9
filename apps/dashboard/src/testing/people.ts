import { faker } from '@faker-js/faker';
import { randomHex } from '@paymaster/domain/testing';
import { Wallet, type HDNodeWallet } from 'ethers';
import { createSiweMessage } from 'viem/siwe';
import type { Account } from '../access/accounts/account';
import { AccountsService } from '../access/accounts/accounts.service';
import { Memberships } from '../access/people/memberships';
import type { Role } from '../access/people/role';
import { Sessions, type SessionProof } from '../access/people/sessions';
import { CHAIN_ID, databaseOf, PAGE, type DashboardUnderTest, type TestAnswer } from './dashboard-under-test';

/** A person who is signed in. */
export interface TestPerson {
  readonly personId: string;
  readonly cookie: string;
}

/** A person who is signed in, for an account. */
export interface TestMember extends TestPerson {
  readonly accountId: string;
}

/** The headers that the page sends for a person. */
export const fromPage = (cookie: string, accountId?: string): Record<string, string> => ({
  ...{ cookie, origin: PAGE },
  ...(accountId && { accountId }),
});

/** A new member of an account, signed in. @param of the account, or the name of one, which is made when there is none */
export async function signedInMember(
  dashboard: DashboardUnderTest,
  of: string | Pick<Account, 'id'>,
  role: Role,
): Promise<TestMember> {
  const { app } = dashboard;
  const account = typeof of === 'string' ? await app.get(AccountsService).findOrCreate(of) : of;
  const wish = { name: faker.string.uuid(), role, isOperator: false };
  const { id: personId } = await app.get(Memberships, { strict: false }).findOrAdd(account, wish);
  return { accountId: account.id, personId, cookie: await openSession(dashboard, personId) };
}

/** Signs a person in once more. @returns the cookie of the new session */
export async function openSession(
  dashboard: DashboardUnderTest,
  personId: string,
  proof: SessionProof = 'first',
): Promise<string> {
  const { manager } = databaseOf(dashboard);
  const token = await dashboard.app.get(Sessions, { strict: false }).open(manager, {
    ...{ personId, proof, browser: 'a test' },
  });
  return `__Host-paymaster-session=${token}`;
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

/** Without a mnemonic, which takes longer than all that a test does with the wallet. */
export const randomWallet = (): Wallet => new Wallet(randomHex(32));

/** Signs in with a wallet as the page does. @param more fields of the body, and headers, besides or in place of others */
export async function signInWithWallet(
  dashboard: DashboardUnderTest,
  wallet: Wallet | HDNodeWallet,
  more: object = {},
  moreHeaders: Record<string, string> = {},
): Promise<TestAnswer> {
  const message = await siweMessage(dashboard, wallet.address);
  const body = { message, signature: await wallet.signMessage(message), ...more };
  return dashboard.call({ method: 'POST', path: '/session/wallet', headers: { origin: PAGE, ...moreHeaders }, body });
}
