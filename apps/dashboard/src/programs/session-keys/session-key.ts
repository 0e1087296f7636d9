import type { SessionAlgorithm, SessionKey } from '@paymaster/domain';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A public key of an app's back end. */
@Entity({ name: 'session_keys' })
export class NamedSessionKey implements SessionKey {
  @PrimaryColumn('uuid', { name: 'id' }) readonly keyId!: string;
  @Column('text') readonly name!: string;
  @Column('text') readonly algorithm!: SessionAlgorithm;
  @Column('text') readonly spki!: string;
  @Column('uuid', { name: 'paymaster_id' }) readonly paymasterId!: string;
  @Column('timestamptz', { name: 'created_at' }) readonly createdAt!: Date;
}
