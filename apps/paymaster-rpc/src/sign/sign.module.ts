import { Module } from '@nestjs/common';
import { createDigestHasher } from '@paymaster/chain';
import { ChainsModule } from '../chains/chains.module';
import { SnapshotsModule } from '../snapshots/snapshots.module';
import { DIGEST_HASHER, SponsorshipSigner } from './sponsorship-signer.service';

@Module({
  imports: [ChainsModule, SnapshotsModule],
  providers: [{ provide: DIGEST_HASHER, useFactory: createDigestHasher }, SponsorshipSigner],
  exports: [DIGEST_HASHER, SponsorshipSigner],
})
export class SignModule {}
