import { Module } from '@nestjs/common';
import { AccountsModule } from '../../access/accounts/accounts.module';
import { ChainsModule } from '../../platform/chains/chains.module';
import { NearNetworksModule } from '../../outbound/near-networks/near-networks.module';
import { OperationsModule } from '../operations/operations.module';
import { PaymasterLookupModule } from '../../access/paymasters/paymaster-lookup.module';
import { WebhooksModule } from '../../outbound/webhooks/webhooks.module';
import { LowWalletWatch } from './low-wallet.watch';
import { WalletReportsController } from './wallet-reports.controller';
import { WalletReports } from './wallet-reports.service';

@Module({
  imports: [AccountsModule, ChainsModule, NearNetworksModule, OperationsModule, PaymasterLookupModule, WebhooksModule],
  controllers: [WalletReportsController],
  providers: [WalletReports, LowWalletWatch],
  exports: [WalletReports],
})
export class WalletReportsModule {}
