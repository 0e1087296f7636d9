import { Module } from '@nestjs/common';
import { PolicyChangesModule } from '../policy-changes/policy-changes.module';
import { PolicyResolverController } from './policy-resolver.controller';
import { PolicySnapshotsRepository } from './policy-snapshots.repository';

/** Answering the gateways that ask for a policy. */
@Module({
  imports: [PolicyChangesModule],
  controllers: [PolicyResolverController],
  providers: [PolicySnapshotsRepository],
})
export class PolicySnapshotsModule {}
