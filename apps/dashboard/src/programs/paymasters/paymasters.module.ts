import { Module } from '@nestjs/common';
import { AccountsModule } from '../../access/accounts/accounts.module';
import { ChainsModule } from '../../platform/chains/chains.module';
import { AuditModule } from '../../platform/audit/audit.module';
import { CryptoModule } from '../../platform/crypto/crypto.module';
import { PolicyChangesModule } from '../policy-changes/policy-changes.module';
import { PaymasterLookupModule } from '../../access/paymasters/paymaster-lookup.module';
import { PaymasterRecordsController } from './paymaster-records.controller';
import { PaymasterRecordsService } from './paymaster-records.service';
import { PaymasterSettingsController } from './paymaster-settings.controller';
import { PaymasterSettingsService } from './paymaster-settings.service';
import { PaymastersController } from './paymasters.controller';
import { PaymastersService } from './paymasters.service';

@Module({
  imports: [AccountsModule, AuditModule, ChainsModule, CryptoModule, PaymasterLookupModule, PolicyChangesModule],
  controllers: [PaymastersController, PaymasterRecordsController, PaymasterSettingsController],
  providers: [PaymastersService, PaymasterRecordsService, PaymasterSettingsService],
  exports: [PaymasterSettingsService],
})
export class PaymastersModule {}
