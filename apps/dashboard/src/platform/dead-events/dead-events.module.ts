import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DeadEvent } from './dead-event';
import { DeadEventsRepository } from './dead-events.repository';

/** Where every consumer of the event stream leaves what it cannot handle. */
@Module({
  imports: [TypeOrmModule.forFeature([DeadEvent])],
  providers: [DeadEventsRepository],
  exports: [DeadEventsRepository],
})
export class DeadEventsModule {}
