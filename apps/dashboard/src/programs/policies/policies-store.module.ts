import { Module } from '@nestjs/common';
import { PoliciesRepository } from './policies.repository';

/** Reading policies, for the snapshots and for every feature that works on them. */
@Module({ providers: [PoliciesRepository], exports: [PoliciesRepository] })
export class PoliciesStoreModule {}
