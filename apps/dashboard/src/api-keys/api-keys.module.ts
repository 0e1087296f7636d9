import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module';
import { CryptoModule } from '../crypto/crypto.module';
import { PaymasterLookupModule } from '../paymasters/paymaster-lookup.module';
import { PolicySnapshotsModule } from '../policy-snapshots/policy-snapshots.module';
import { ApiKeysController } from './api-keys.controller';
import { ApiKeysService } from './api-keys.service';
import { FormerKeysRepository } from './former-keys.repository';

@Module({
  imports: [AccountsModule, CryptoModule, PaymasterLookupModule, PolicySnapshotsModule],
  controllers: [ApiKeysController],
  providers: [ApiKeysService, FormerKeysRepository],
})
export class ApiKeysModule {}
