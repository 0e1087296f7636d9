import { Module } from '@nestjs/common';
import { LastUses } from './last-uses';
import { NamedKeysRepository } from './named-keys.repository';

/** Reading named keys, for the snapshots and for the routes that change them. */
@Module({ providers: [NamedKeysRepository, LastUses], exports: [NamedKeysRepository, LastUses] })
export class NamedKeysStoreModule {}
