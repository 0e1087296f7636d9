import type { Page } from 'playwright-core';
import { requestOfApp } from '../support/request-of-app';

export interface Shot {
  readonly name: string;
  /** Where `$account` and `$paymaster` are the path of the account and of the paymaster. */
  readonly path: string;
  /** Who looks: an owner of the filled account, who operates the installation too; of an empty one; nobody yet. */
  readonly of: 'filled' | 'empty' | 'outside';
  /** What is done on the screen before it is photographed. */
  readonly first?: (page: Page) => Promise<void>;
}

const press =
  (name: string | RegExp) =>
  async (page: Page): Promise<void> => {
    await page.getByRole('button', { name }).first().click();
    await page.getByRole('dialog').waitFor();
  };
/** Each screen with what is in it, each dialog, and screens where nothing is yet. */
export const SHOTS: readonly Shot[] = [
  { of: 'outside', name: 'sign-in', path: '/sign-in' },
  { of: 'filled', name: 'overview', path: '$paymaster' },
  { of: 'filled', name: 'overview-gas-price', path: '$paymaster?chart=gas' },
  { of: 'filled', name: 'operations', path: '$paymaster/operations' },
  {
    of: 'filled',
    name: 'operation',
    path: '$paymaster/operations?state=settled',
    first: press(/^Open the operation of .*: final$/),
  },
  {
    of: 'filled',
    name: 'operation-refused',
    path: '$paymaster/operations?state=refused',
    first: press(/^Open the operation of .*: refused$/),
  },
  { of: 'filled', name: 'requests', path: '$paymaster/requests' },
  { of: 'filled', name: 'request', path: '$paymaster/requests', first: press(/^Show the request/) },
  { of: 'filled', name: 'explain', path: '$paymaster/explain', first: explain },
  { of: 'filled', name: 'contracts', path: '$paymaster/contracts' },
  { of: 'filled', name: 'contract-methods', path: '$paymaster/contracts', first: press('Change methods') },
  { of: 'filled', name: 'contract-form', path: '$paymaster/contracts?add=true' },
  { of: 'filled', name: 'policies', path: '$paymaster/policies', first: showUse },
  { of: 'filled', name: 'policy-edit', path: '$paymaster/policies', first: press('Edit Everybody') },
  { of: 'filled', name: 'policy-new', path: '$paymaster/policies?open=new' },
  { of: 'filled', name: 'policy-history', path: '$paymaster/policies', first: press('History') },
  { of: 'filled', name: 'policy-delete', path: '$paymaster/policies', first: press('Delete Everybody') },
  { of: 'filled', name: 'shared-policies', path: '$account/shared-policies' },
  { of: 'filled', name: 'shared-policy-new', path: '$account/shared-policies?open=new' },
  { of: 'filled', name: 'wallet', path: '$paymaster/wallet' },
  { of: 'filled', name: 'deposit', path: '$paymaster/wallet', first: press('Deposit') },
  { of: 'filled', name: 'keys', path: '$paymaster/keys' },
  { of: 'filled', name: 'key-new', path: '$paymaster/keys', first: press('Make a key') },
  { of: 'filled', name: 'tokens', path: '$paymaster/tokens' },
  { of: 'filled', name: 'token-new', path: '$paymaster/tokens', first: press('Add a token') },
  { of: 'filled', name: 'alerts', path: '$paymaster/alerts' },
  { of: 'filled', name: 'alert-new', path: '$paymaster/alerts', first: press('New alert') },
  { of: 'filled', name: 'webhooks', path: '$paymaster/webhooks', first: showDeliveries },
  { of: 'filled', name: 'webhook-new', path: '$paymaster/webhooks', first: press('New webhook') },
  { of: 'filled', name: 'settings', path: '$paymaster/settings' },
  { of: 'empty', name: 'start', path: '$paymaster/start' },
  { of: 'filled', name: 'start-operation', path: '$paymaster/start?step=operation' },
  { of: 'filled', name: 'start-playground', path: '$paymaster/start?step=operation', first: land },
  { of: 'filled', name: 'projects', path: '$account/projects' },
  { of: 'filled', name: 'project-edit', path: '$account/projects', first: press(/^Project of /) },
  { of: 'filled', name: 'team', path: '$account/team' },
  { of: 'filled', name: 'audit-log', path: '$account/audit-log' },
  { of: 'filled', name: 'you', path: '$account/you' },
  { of: 'filled', name: 'new', path: '$account/new' },
  { of: 'filled', name: 'operator', path: '/operator' },
  { of: 'filled', name: 'operator-chains', path: '/operator?view=chains' },
  { of: 'empty', name: 'empty-overview', path: '$paymaster' },
  { of: 'empty', name: 'empty-operations', path: '$paymaster/operations' },
  { of: 'empty', name: 'empty-requests', path: '$paymaster/requests' },
  { of: 'filled', name: 'empty-explain', path: '$paymaster/explain' },
  { of: 'empty', name: 'empty-contracts', path: '$paymaster/contracts' },
  { of: 'empty', name: 'empty-policies', path: '$paymaster/policies' },
  { of: 'empty', name: 'empty-wallet', path: '$paymaster/wallet' },
  { of: 'empty', name: 'empty-keys', path: '$paymaster/keys' },
  { of: 'empty', name: 'empty-alerts', path: '$paymaster/alerts' },
  { of: 'empty', name: 'empty-webhooks', path: '$paymaster/webhooks' },
  { of: 'empty', name: 'empty-shared-policies', path: '$account/shared-policies' },
  { of: 'filled', name: 'not-found', path: '$paymaster/nothing-here' },
];

async function land(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Land an operation now' }).click();
  await page.getByText('It landed, and you paid for it').waitFor();
}

async function explain(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Operation' }).fill(await requestOfApp());
  await page.getByRole('button', { name: 'Explain', exact: true }).click();
  await page.getByRole('heading', { name: 'How it was decided' }).waitFor();
}

async function showUse(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Show what is used' }).first().click();
  await page.getByRole('progressbar').first().waitFor();
}

async function showDeliveries(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Show the deliveries' }).first().click();
  await page.getByRole('region', { name: 'Deliveries' }).waitFor();
}
