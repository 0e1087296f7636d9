import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { demoCounterAbi } from '@paymaster/contract-abis';
import { readStack } from '@paymaster/devnet';
import { until } from '@paymaster/domain/testing';
import type { Page } from 'playwright-core';
import { askAsPage } from './ask-as-page';
import { emptyPaymaster } from './empty-paymaster';
import { hostile } from './hostile-text';
import { requestOfApp } from './request-of-app';
import { signIn } from './sign-in';

const LIMIT = { scope: 'USER', measure: 'COUNT', amount: 3, cycle: 'DAY' } as const;

export interface HostileAccount {
  readonly accountId: string;
  readonly paymasterId: string;
  readonly webhookId: string;
  /** The operation of an app, which was refused. */
  readonly operationId: string;
  /** Of its request, in the request log. */
  readonly entryId: string;
}

/**
 * Signs in an owner, who operates the installation too, and fills the account and its paymaster with texts of markup,
 * each stored by REST or by the request of an app.
 */
export async function fillHostileAccount(page: Page): Promise<HostileAccount> {
  const { paymasterRpc, chainId, demoContract } = readStack();
  const { account, client, apiKey } = await emptyPaymaster();
  const home = await signIn(page, { account, isOperator: true });
  const [, , accountId = '', , paymasterId = ''] = home.split('/');
  const ask = (method: string, path: string, body: object) => askAsPage(page, { method, path, body, accountId });

  await client.call('post', '/smart-contract', {
    apiKey,
    body: { ...{ name: hostile('contract'), address: demoContract.address }, abi: JSON.stringify(demoCounterAbi) },
  });
  await client.call('post', '/paymaster-policy', {
    apiKey,
    body: { name: hostile('policy'), policyType: 'RULES', policyData: { limits: [LIMIT] } },
  });
  await client.call('post', '/keys', { apiKey, body: { name: hostile('key'), kind: 'PUBLISHABLE' } });
  const publicKey = String(generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' }));
  await client.call('post', '/session-keys', { apiKey, body: { name: hostile('session key'), publicKey } });
  const webhookUrl = `https://hooks.example.org/${hostile('webhook')}`;
  await client.call('post', '/alerts', {
    apiKey,
    body: { name: hostile('alert'), kind: 'SLACK', url: webhookUrl, about: ['walletBraked'], active: false },
  });
  const { webhookId } = await client.call('post', '/webhook', {
    apiKey,
    body: { webhookUrl, requestType: 'POST', events: ['refused'] },
  });
  await client.call('post', '/shared-policy', {
    body: {
      ...{ name: hostile('shared'), policyType: 'SPENDING_LIMITS', paymasterIds: [paymasterId] },
      policyData: { limits: [LIMIT] },
    },
  });
  await fetch(`${paymasterRpc}/api/v2/${chainId}/${apiKey}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': hostile('app'), 'x-request-id': 'hostile' },
    body: await requestOfApp(),
  });
  // Only now, so that no server is asked for the request.
  const url = `https://hooks.example.org/${hostile('decision')}`;
  await client.call('post', '/paymaster-policy', {
    apiKey,
    body: { name: hostile('asked'), policyType: 'WEBHOOK', policyData: { url } },
  });
  await ask('PATCH', `/paymaster/${paymasterId}`, { name: unique(hostile('paymaster')) });
  await ask('PATCH', '/person', { name: hostile('person') });
  await ask('POST', '/invitations', { role: 'viewer', name: hostile('invitation') });
  await ask('POST', '/auth-tokens', { scope: 'read', name: hostile('token') });
  await ask('PATCH', '/account', { name: unique(hostile('account')) });
  await ask('POST', `/operator/paymaster/${paymasterId}/suspend`, { reason: hostile('reason') });

  const operation = await until(async () => (await client.call('get', '/operation', { apiKey })).operations[0]);
  const request = await until(async () => (await client.call('get', '/request-log', { apiKey })).entries[0]);
  return { accountId, paymasterId, webhookId, operationId: operation.id, entryId: request.id };
}

/** No two accounts, and no two paymasters, have the same name. */
const unique = (name: string): string => `${name}${randomBytes(3).toString('hex')}`;
