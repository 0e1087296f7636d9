import { WebhookClient } from '@paymaster/webhooks';
import type { PaymasterRpcConfig } from '../config/paymaster-rpc.config';
import { DecisionWebhooks } from './decision-webhooks.service';

/** How owners' servers are asked, or null where the operator has not set up the key that signs the questions. */
export function openDecisionWebhooks({
  webhookSigningKey,
  webhookAllowInsecure: allowInsecure,
}: Pick<PaymasterRpcConfig, 'webhookSigningKey' | 'webhookAllowInsecure'>): DecisionWebhooks | null {
  if (webhookSigningKey === undefined) return null;
  return new DecisionWebhooks(new WebhookClient({ signingKey: Buffer.from(webhookSigningKey, 'hex'), allowInsecure }));
}
