import { Module } from '@nestjs/common';
import { AccountsModule } from '../../access/accounts/accounts.module';
import { PaymasterLookupModule } from '../../access/paymasters/paymaster-lookup.module';
import { WebhooksModule } from '../../outbound/webhooks/webhooks.module';
import { ChainsModule } from '../../platform/chains/chains.module';
import { CryptoModule } from '../../platform/crypto/crypto.module';
import { MailModule } from '../../platform/mail/mail.module';
import { PoliciesStoreModule } from '../../programs/policies/policies-store.module';
import { PolicyChangesModule } from '../../programs/policy-changes/policy-changes.module';
import { OperationsModule } from '../operations/operations.module';
import { PolicyUseModule } from '../policy-use/policy-use.module';
import { WalletReportsModule } from '../wallet-reports/wallet-reports.module';
import { AlertDeliveries } from './alert-deliveries';
import { AlertSender } from './alert-sender';
import { AlertWatch } from './alert.watch';
import { AlertsController } from './alerts.controller';
import { AlertsRepository } from './alerts.repository';
import { AlertsService } from './alerts.service';
import { AlertsWorker } from './alerts.worker';

@Module({
  imports: [
    ...[AccountsModule, PaymasterLookupModule, WebhooksModule, ChainsModule, CryptoModule, MailModule],
    ...[PoliciesStoreModule, PolicyChangesModule, OperationsModule, PolicyUseModule, WalletReportsModule],
  ],
  controllers: [AlertsController],
  providers: [AlertsService, AlertsRepository, AlertDeliveries, AlertSender, AlertWatch, AlertsWorker],
})
export class AlertsModule {}
