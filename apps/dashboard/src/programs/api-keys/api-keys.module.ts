import { Module } from '@nestjs/common';
import { AccountsModule } from '../../access/accounts/accounts.module';
import { AuditModule } from '../../platform/audit/audit.module';
import { CryptoModule } from '../../platform/crypto/crypto.module';
import { PaymasterLookupModule } from '../../access/paymasters/paymaster-lookup.module';
import { PolicyChangesModule } from '../policy-changes/policy-changes.module';
import { ApiKeysController } from './api-keys.controller';
import { ApiKeysService } from './api-keys.service';
import { FormerKeysRepository } from './former-keys.repository';

@Module({
  imports: [AccountsModule, AuditModule, CryptoModule, PaymasterLookupModule, PolicyChangesModule],
  controllers: [ApiKeysController],
  providers: [ApiKeysService, FormerKeysRepository],
})
export class ApiKeysModule {}
