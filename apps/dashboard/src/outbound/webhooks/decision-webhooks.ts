import type { SponsorshipPolicy } from '@paymaster/domain';
import type { Webhook } from './webhook';

/** The webhooks that are asked for decisions, as the policies that they are to the gateway. */
export function decisionWebhooks(
  webhooks: readonly Webhook[],
  secretVersions: ReadonlyMap<string, readonly number[]>,
): SponsorshipPolicy[] {
  return webhooks
    .filter(({ active, events }) => active && events.length === 0)
    .map(({ id, url, requestType }) => ({
      policyId: id,
      name: 'webhook',
      type: 'WEBHOOK',
      webhook: { webhookId: id, url, method: requestType, secretVersions: secretVersions.get(id) ?? [1] },
    }));
}
