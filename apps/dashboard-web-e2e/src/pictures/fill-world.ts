import { generateKeyPairSync } from 'node:crypto';
import { demoCounterAbi } from '@paymaster/contract-abis';
import { DashboardClient, landed, readStack, type Call, type Stack } from '@paymaster/devnet';
import type { Page } from 'playwright-core';
import { encodeFunctionData } from 'viem';
import { askAsPage } from '../support/ask-as-page';
import { userOfApp } from '../support/user-of-app';

const RULES = 'Everybody';
const UNKNOWN_CONTRACT = '0xc0de5c0de5c0de5c0de5c0de5c0de5c0de5c0de5' as const;

/**
 * Gives the seeded account what an account in use has, by the ways in which people and apps give it: policies, keys,
 * webhooks, people, and operations that landed and were refused. An account that has it already stays as it is.
 *
 * @param page an owner of the account is signed in there
 */
export async function fillWorld(page: Page): Promise<void> {
  const stack = readStack();
  const client = new DashboardClient(stack.dashboard, stack.authToken);
  const policies = await client.call('get', '/paymaster-policy', { apiKey: stack.paymaster.apiKey });
  if (policies.some(({ name }) => name === RULES)) return;
  await setUp(stack, client);
  await invite(page);
  await makeProject(page, client, stack);
  await Promise.all([useApp(stack, 4), useApp(stack, 2), useApp(stack, 1), beRefused(stack)]);
}

async function setUp({ paymaster: { apiKey, paymasterId } }: Stack, client: DashboardClient): Promise<void> {
  const publicKey = String(generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' }));
  const perUser = { scope: 'USER', measure: 'COUNT', amount: 50, cycle: 'DAY' } as const;
  const inAll = { scope: 'PAYMASTER', measure: 'USD', amount: '250', cycle: 'MONTH' } as const;
  const rules = { priority: 100, limits: [perUser, inAll], maxCallsPerOperation: 8, maxFeePercentOfBaseFee: 100_000 };
  await client.call('post', '/paymaster-policy', {
    apiKey,
    body: { name: RULES, policyType: 'RULES', policyData: rules },
  });
  const partners = { priority: 200, senders: { allow: [UNKNOWN_CONTRACT] } };
  await client.call('post', '/paymaster-policy', {
    apiKey,
    body: { name: 'Partners', policyType: 'RULES', policyData: partners },
  });
  const shared = { policyData: { limits: [{ ...inAll, amount: '1000' }] }, paymasterIds: [paymasterId] };
  await client.call('post', '/shared-policy', {
    body: { name: 'Limit of all chains', policyType: 'SPENDING_LIMITS', ...shared },
  });
  const allowedOrigins = ['https://app.example.org'];
  await client.call('post', '/keys', { apiKey, body: { name: 'web app', kind: 'PUBLISHABLE', allowedOrigins } });
  await client.call('post', '/keys', { apiKey, body: { name: 'server', kind: 'SECRET', limits: [perUser] } });
  await client.call('post', '/session-keys', { apiKey, body: { name: 'shop server', publicKey } });
  const webhookUrl = 'https://hooks.example.org/paymaster';
  const events = ['refused', 'settled', 'walletLow'] as const;
  await client.call('post', '/alerts', {
    apiKey,
    body: {
      ...{ name: 'On call', kind: 'SLACK', url: 'https://hooks.example.org/services/T0/B0/x' },
      ...{ about: ['walletLow', 'limitUsed', 'refusalsRising'], walletBelowWei: '500000000000000000' },
      ...{ limitPercents: [75, 100], quietHours: { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' } },
    },
  });
  await client.call('post', '/webhook', { apiKey, body: { webhookUrl, requestType: 'POST', events: [...events] } });
}

async function invite(page: Page): Promise<void> {
  const [, accountId = ''] = /\/a\/([^/]+)/.exec(page.url()) ?? [];
  const ask = (method: string, path: string, body: object) => askAsPage(page, { method, path, body, accountId });
  await ask('PATCH', '/person', { name: 'Ada' });
  await ask('POST', '/invitations', { role: 'viewer', name: 'Grace' });
  await ask('POST', '/auth-tokens', { scope: 'read', name: 'nightly report' });
}

/** The seeded paymaster and a second one are of one app. */
async function makeProject(page: Page, client: DashboardClient, { chainId, paymaster }: Stack): Promise<void> {
  const [, accountId = ''] = /\/a\/([^/]+)/.exec(page.url()) ?? [];
  const body = { name: 'Game', type: 'HYBRID', chainId, version: '2.0.0' } as const;
  await client.call('post', '/paymaster', { body });
  const known = await client.call('get', '/account/paymasters');
  const second = known.find(({ name }) => name === body.name)!;
  for (const { paymasterId } of [paymaster, second]) {
    await askAsPage(page, { method: 'PATCH', path: `/paymaster/${paymasterId}`, body: { project: 'Shop' }, accountId });
  }
}

/** An account's owner uses an app: its operations land. */
async function useApp(stack: Stack, operations: number): Promise<void> {
  const user = await userOfApp(stack);
  const { address: to, callData: data } = stack.demoContract;
  const add = encodeFunctionData({ abi: demoCounterAbi, functionName: 'add', args: [7n] });
  for (let sent = 0; sent < operations; sent += 1) {
    await landed(
      stack,
      await user.send(
        sent % 2 === 0
          ? [{ to, data }]
          : [
              { to, data },
              { to, data: add },
            ],
      ),
    );
  }
}

/** Apps ask for what nobody sponsors. */
async function beRefused(stack: Stack): Promise<void> {
  const user = await userOfApp(stack);
  const { address } = stack.demoContract;
  const reset = encodeFunctionData({ abi: demoCounterAbi, functionName: 'reset' });
  const asks: Call[][] = [
    ...Array.from({ length: 5 }, () => [{ to: UNKNOWN_CONTRACT, data: reset }]),
    ...Array.from({ length: 2 }, () => [{ to: address, data: reset }]),
    [{ to: address, value: 1n }],
  ];
  for (const calls of asks) await user.send(calls).catch(() => undefined);
}
