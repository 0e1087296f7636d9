import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../../access/accounts/accounts.module';
import { PaymasterLookupModule } from '../../access/paymasters/paymaster-lookup.module';
import { PolicyChangesModule } from '../policy-changes/policy-changes.module';
import { NamedSessionKey } from './session-key';
import { SessionKeysController } from './session-keys.controller';
import { SessionKeysService } from './session-keys.service';

@Module({
  imports: [AccountsModule, PaymasterLookupModule, PolicyChangesModule, TypeOrmModule.forFeature([NamedSessionKey])],
  controllers: [SessionKeysController],
  providers: [SessionKeysService],
})
export class SessionKeysModule {}
