import { Module } from '@nestjs/common';
import { AccountEventsModule } from '../../platform/account-events/account-events.module';
import { AccountsModule } from '../../access/accounts/accounts.module';
import { CallerGuard } from '../../access/callers/caller.guard';
import { PaymasterLookupModule } from '../../access/paymasters/paymaster-lookup.module';
import { EventStreamsController } from './event-streams.controller';
import { EventStreams } from './event-streams.service';

@Module({
  imports: [AccountEventsModule, AccountsModule, PaymasterLookupModule],
  controllers: [EventStreamsController],
  providers: [CallerGuard, EventStreams],
})
export class EventStreamsModule {}
