import { Module } from '@nestjs/common';
import { AccountEventsRepository } from './account-events.repository';

/** Noting and reading what happened in accounts. */
@Module({ providers: [AccountEventsRepository], exports: [AccountEventsRepository] })
export class AccountEventsModule {}
