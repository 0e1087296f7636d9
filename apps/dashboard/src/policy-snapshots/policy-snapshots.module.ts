import { Module } from '@nestjs/common';
import { PolicyChangePublisher } from './policy-change.publisher';
import { PolicyResolverController } from './policy-resolver.controller';
import { PolicySnapshotsRepository } from './policy-snapshots.repository';
import { PolicyWriter } from './policy-writer';

@Module({
  controllers: [PolicyResolverController],
  providers: [PolicySnapshotsRepository, PolicyChangePublisher, PolicyWriter],
  exports: [PolicyWriter, PolicyChangePublisher],
})
export class PolicySnapshotsModule {}
