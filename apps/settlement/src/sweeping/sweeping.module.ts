import { Module } from '@nestjs/common';
import { DatabaseModule } from '../database/database.module';
import { BudgetSweeper } from './budget-sweeper.service';

@Module({ imports: [DatabaseModule], providers: [BudgetSweeper] })
export class SweepingModule {}
