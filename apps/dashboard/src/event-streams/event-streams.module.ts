import { Module } from '@nestjs/common';
import { AccountEventsModule } from '../account-events/account-events.module';
import { AccountsModule } from '../accounts/accounts.module';
import { CallerGuard } from '../http/caller.guard';
import { PaymasterLookupModule } from '../paymasters/paymaster-lookup.module';
import { EventStreamsController } from './event-streams.controller';
import { EventStreams } from './event-streams.service';

@Module({
  imports: [AccountEventsModule, AccountsModule, PaymasterLookupModule],
  controllers: [EventStreamsController],
  providers: [CallerGuard, EventStreams],
})
export class EventStreamsModule {}
