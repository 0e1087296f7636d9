import { Module } from '@nestjs/common';
import { ChainsModule } from '../chains/chains.module';
import { SnapshotsModule } from '../snapshots/snapshots.module';
import { CallerService } from './caller.service';

@Module({ imports: [ChainsModule, SnapshotsModule], providers: [CallerService], exports: [CallerService] })
export class CallersModule {}
