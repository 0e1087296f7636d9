import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CANONICAL_DELEGATE, readStack, startStrictGateway, type Application } from '@paymaster/devnet';
import { WebhookReceiver } from '@paymaster/webhooks/testing';
import { runConformance } from './support/conformance-kit';
import { dashboardOk } from './support/dashboard-client';
import { RESET } from './support/demo-contract';
import { freshPaymaster, type FreshPaymaster } from './support/fresh-paymaster';
import { limited, rules } from './support/policies';

const stack = readStack();
const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
let gateway: Application;
let webhook: WebhookReceiver;

beforeAll(async () => {
  [gateway, webhook] = await Promise.all([startStrictGateway(stack, () => undefined), WebhookReceiver.start()]);
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await Promise.all([gateway?.stop(), webhook?.stop()]);
});

const urlOf = ({ apiKey }: FreshPaymaster) => `${gateway.url}/api/v2/${stack.chainId}/${apiKey}`;

describe('the conformance kit', () => {
  it('passes a paymaster with default settings on a chain with default bounds on everything', async () => {
    const paymaster = await freshPaymaster(stack, { settings: null });
    const { fundingWallet, apiKey } = paymaster;
    const body = { webhookUrl: webhook.url, requestType: 'GET' };
    await dashboardOk(stack, { method: 'POST', path: '/webhook', apiKey, body });
    // The kit is one client, whose share of a limit would be less than the limit.
    const settings = { clientSharePercent: 100 };
    const few = await freshPaymaster(stack, { settings, fundingWallet, depositsWei: {} });
    const policy = limited({ scope: 'PAYMASTER', measure: 'COUNT', amount: '5', cycle: 'MONTH' });
    await dashboardOk(stack, { method: 'POST', path: '/paymaster-policy', apiKey: few.apiKey, body: policy });

    const delegating = await freshPaymaster(stack, { settings: null, fundingWallet, depositsWei: {} });
    const delegates = rules({ eip7702Delegates: [CANONICAL_DELEGATE] });
    await dashboardOk(stack, { method: 'POST', path: '/paymaster-policy', apiKey: delegating.apiKey, body: delegates });

    const { address, callData } = stack.demoContract;
    const report = await runConformance(folder, [
      ...['--url', urlOf(paymaster), '--rpc', stack.chainRpc, '--bundler', stack.bundler, '--webhook'],
      ...['--to', address, '--data', callData, '--unlisted-data', RESET, '--token', stack.tokens[0]?.address ?? ''],
      ...['--delegate-url', urlOf(delegating)],
      ...['--limited-url', urlOf(few), '--limit', '5', '--entry-points', '0.6,0.7,0.8,0.9'],
    ]);
    expect(report.checks.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
    expect(report.exitCode).toBe(0);
    expect(report.checks.length).toBeGreaterThan(300);
    expect(webhook.requests.length).toBeGreaterThan(0);
    expect(report.written).not.toContain(apiKey);
  });
});
