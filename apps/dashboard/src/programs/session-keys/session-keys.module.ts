import { Module } from '@nestjs/common';
import { AccountsModule } from '../../access/accounts/accounts.module';
import { PaymasterLookupModule } from '../../access/paymasters/paymaster-lookup.module';
import { PolicyChangesModule } from '../policy-changes/policy-changes.module';
import { SessionKeysController } from './session-keys.controller';
import { SessionKeysService } from './session-keys.service';

@Module({
  imports: [AccountsModule, PaymasterLookupModule, PolicyChangesModule],
  controllers: [SessionKeysController],
  providers: [SessionKeysService],
})
export class SessionKeysModule {}
