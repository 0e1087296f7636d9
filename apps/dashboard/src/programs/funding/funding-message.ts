import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The text a funding wallet signs, while it can be answered. A paymaster has at most one. */
@Entity({ name: 'funding_messages' })
export class FundingMessage {
  @PrimaryColumn('uuid', { name: 'paymaster_id' }) readonly paymasterId!: string;
  @Column('text') readonly message!: string;
  @Column('timestamptz', { name: 'issued_at' }) readonly issuedAt!: Date;
  @Column('timestamptz', { name: 'expires_at' }) readonly expiresAt!: Date;
}
