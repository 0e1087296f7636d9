import { Module } from '@nestjs/common';
import { AccountsModule } from '../../access/accounts/accounts.module';
import { CryptoModule } from '../../platform/crypto/crypto.module';
import { PaymasterLookupModule } from '../../access/paymasters/paymaster-lookup.module';
import { PoliciesStoreModule } from '../policies/policies-store.module';
import { PolicyChangesModule } from '../policy-changes/policy-changes.module';
import { NamedKeysController } from './named-keys.controller';
import { NamedKeysService } from './named-keys.service';
import { NamedKeysStoreModule } from './named-keys-store.module';

@Module({
  imports: [
    AccountsModule,
    CryptoModule,
    NamedKeysStoreModule,
    PaymasterLookupModule,
    PoliciesStoreModule,
    PolicyChangesModule,
  ],
  controllers: [NamedKeysController],
  providers: [NamedKeysService],
})
export class NamedKeysModule {}
