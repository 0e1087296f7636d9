import { Module } from '@nestjs/common';
import { ChainsModule } from '../chains/chains.module';
import { DEADLINES, type Deadlines } from '../platform/config/deadlines';
import { PaymasterRpcConfig } from '../platform/config/paymaster-rpc.config';
import { OwnerPolicies } from './facts/owner-policies.service';
import { DecisionLog } from './verdict/decision-log';
import { JudgeOperation } from './verdict/judge-operation.service';
import { DECISION_WEBHOOKS, OwnerDecisions } from './verdict/owner-decisions.service';
import { Refusals } from './verdict/refusals.service';
import { DecisionMetrics } from './webhooks/decision-metrics';
import { openDecisionWebhooks } from './webhooks/open-decision-webhooks';

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
      useFactory: (config: PaymasterRpcConfig, { decisionMs }: Deadlines, observer: DecisionMetrics) =>
        openDecisionWebhooks(config, { timeoutMs: decisionMs, observer }),
    },
  ],
  exports: [DecisionLog, JudgeOperation, OwnerDecisions, OwnerPolicies, Refusals],
})
export class DecideModule {}
