import { Module } from '@nestjs/common';
import { ChainsModule } from '../chains/chains.module';
import { SnapshotsModule } from '../snapshots/snapshots.module';
import { WireModule } from '../wire/wire.module';
import { OwnerQuestions } from './owner-questions.service';

@Module({ imports: [ChainsModule, SnapshotsModule, WireModule], providers: [OwnerQuestions] })
export class OwnerModule {}
