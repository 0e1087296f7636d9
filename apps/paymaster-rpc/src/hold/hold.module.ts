import { Module } from '@nestjs/common';
import { ChainsModule } from '../chains/chains.module';
import { Reservations } from './reservations.service';

@Module({ imports: [ChainsModule], providers: [Reservations], exports: [Reservations] })
export class HoldModule {}
