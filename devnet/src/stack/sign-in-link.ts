import { accountCommand } from './account-command';
import { DEMO_ACCOUNT } from './seed';
import type { Stack } from './stack-file';

/** A link that signs the developer in to the page, once within 15 minutes, as an owner of the seeded account. */
export async function signInLink({
  databaseUrl,
  dashboard,
}: Pick<Stack, 'databaseUrl' | 'dashboard'>): Promise<string> {
  const env = { DATABASE_URL: databaseUrl, PUBLIC_URL: dashboard };
  const of = ['--account', DEMO_ACCOUNT, '--person', 'Developer', '--operator'];
  return (await accountCommand<{ link: string }>(env, 'sign-in-code', ...of)).link;
}
