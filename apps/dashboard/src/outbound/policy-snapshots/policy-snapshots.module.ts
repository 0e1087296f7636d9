import { Module } from '@nestjs/common';
import { NamedKeysStoreModule } from '../../programs/named-keys/named-keys-store.module';
import { PolicyChangesModule } from '../../programs/policy-changes/policy-changes.module';
import { PolicyResolverController } from './policy-resolver.controller';
import { PolicySnapshotsRepository } from './policy-snapshots.repository';

/** Answering the gateways that ask for a policy. */
@Module({
  imports: [NamedKeysStoreModule, PolicyChangesModule],
  controllers: [PolicyResolverController],
  providers: [PolicySnapshotsRepository],
})
export class PolicySnapshotsModule {}
