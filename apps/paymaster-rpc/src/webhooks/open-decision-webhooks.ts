import { WebhookClient } from '@paymaster/webhooks';
import type { PaymasterRpcConfig } from '../config/paymaster-rpc.config';
import type { DecisionObserver } from './decision-observer';
import { DecisionWebhooks } from './decision-webhooks.service';

/**
 * How owners' servers are asked, or null where the operator has not set up the key that signs the questions.
 *
 * @param options.timeoutMs how long they may take; the time that owners are told when absent
 * @param options.observer hears of every question
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
