import { Module } from '@nestjs/common';
import { WebhookClient } from '@paymaster/webhooks';
import { ChainsModule } from '../chains/chains.module';
import { DEADLINES, type Deadlines } from '../platform/config/deadlines';
import { PaymasterRpcConfig } from '../platform/config/paymaster-rpc.config';
import { OwnerPolicies } from './facts/owner-policies.service';
import { DecisionLog } from './verdict/decision-log';
import { JudgeOperation } from './verdict/judge-operation.service';
import { DECISION_WEBHOOKS, OwnerDecisions } from './verdict/owner-decisions.service';
import { Refusals } from './verdict/refusals.service';
import { DecisionMetrics } from './webhooks/decision-metrics';
import { DecisionWebhooks } from './webhooks/decision-webhooks.service';

@Module({
  imports: [ChainsModule],
  providers: [
    DecisionLog,
    DecisionMetrics,
    JudgeOperation,
    OwnerDecisions,
    OwnerPolicies,
    Refusals,
    {
      provide: DECISION_WEBHOOKS,
      inject: [PaymasterRpcConfig, DEADLINES, DecisionMetrics],
      useFactory: (
        { webhookSigningKey: key, webhookAllowInsecure: allowInsecure }: PaymasterRpcConfig,
        { decisionMs }: Deadlines,
        observer: DecisionMetrics,
      ) => {
        if (key === undefined) return null;
        const client = new WebhookClient({ signingKey: Buffer.from(key, 'hex'), allowInsecure });
        return new DecisionWebhooks(client, decisionMs, observer);
      },
    },
  ],
  exports: [DecisionLog, JudgeOperation, OwnerDecisions, OwnerPolicies, Refusals],
})
export class DecideModule {}
