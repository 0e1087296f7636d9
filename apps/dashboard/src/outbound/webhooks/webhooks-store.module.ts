import { Module } from '@nestjs/common';
import { WebhooksRepository } from './webhooks.repository';

/** Reading webhooks, for the snapshots and for every feature that works on them. */
@Module({ providers: [WebhooksRepository], exports: [WebhooksRepository] })
export class WebhooksStoreModule {}
