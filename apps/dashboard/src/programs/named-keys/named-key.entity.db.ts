import type { KeyKind } from '@paymaster/domain';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { KeyTerms } from './named-key';

/** A named key, as it is stored: terms that narrow nothing may be left out. */
@Entity({ name: 'named_keys' })
export class NamedKeyEntity {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'paymaster_id' }) paymasterId!: string;
  @Column('text') name!: string;
  @Column('text') kind!: KeyKind;
  @Column('json') terms!: Partial<KeyTerms>;
  @Column('timestamptz', { name: 'expires_at', nullable: true }) expiresAt!: Date | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'last_used_at', nullable: true }) lastUsedAt!: Date | null;
}

/** The text of a key. One that was replaced has an end, the current one has none. */
@Entity({ name: 'named_key_texts' })
export class NamedKeyTextEntity {
  @PrimaryColumn('text', { name: 'api_key_index' }) apiKeyIndex!: string;
  @Column('uuid', { name: 'key_id' }) keyId!: string;
  @Column('uuid', { name: 'paymaster_id' }) paymasterId!: string;
  @Column('text', { name: 'api_key_ciphertext' }) apiKeyCiphertext!: string;
  @Column('timestamptz', { name: 'valid_until', nullable: true }) validUntil!: Date | null;
}
