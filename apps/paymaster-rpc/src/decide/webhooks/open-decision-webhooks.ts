import { WebhookClient } from '@paymaster/webhooks';
import type { PaymasterRpcConfig } from '../../platform/config/paymaster-rpc.config';
import type { DecisionObserver } from './decision-observer';
import { DecisionWebhooks } from './decision-webhooks.service';

/**
 * Makes the client that asks owners' servers, or null where the operator has not set the key that signs the questions.
 *
 * @param options.timeoutMs how long a server may take; by default the time that is documented for owners
 * @param options.observer called for every question

 */
export function openDecisionWebhooks(
  {
    webhookSigningKey,
    webhookAllowInsecure: allowInsecure,
  }: Pick<PaymasterRpcConfig, 'webhookSigningKey' | 'webhookAllowInsecure'>,
  { timeoutMs, observer }: { timeoutMs?: number | undefined; observer?: DecisionObserver } = {},
): DecisionWebhooks | null {
  if (webhookSigningKey === undefined) return null;
  const client = new WebhookClient({ signingKey: Buffer.from(webhookSigningKey, 'hex'), allowInsecure });
  return new DecisionWebhooks(client, timeoutMs, observer);
}
