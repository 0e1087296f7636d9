import { Module } from '@nestjs/common';
import { DeadEventsRepository } from './dead-events.repository';

/** Where every consumer of the event stream leaves what it cannot handle. */
@Module({ providers: [DeadEventsRepository], exports: [DeadEventsRepository] })
export class DeadEventsModule {}
