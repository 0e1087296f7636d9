import { Module } from '@nestjs/common';
import { PolicyChangesModule } from '../../programs/policy-changes/policy-changes.module';
import { Gateways } from './gateways.service';

/** Asking gateways, for every feature that shows what they know. */
@Module({ imports: [PolicyChangesModule], providers: [Gateways], exports: [Gateways] })
export class GatewaysModule {}
