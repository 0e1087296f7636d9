import { Module } from '@nestjs/common';
import { Retention } from './retention.service';

@Module({ providers: [Retention] })
export class RetentionModule {}
