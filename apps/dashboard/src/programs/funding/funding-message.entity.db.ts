import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { FundingMessage } from './funding-message';

@Entity({ name: 'funding_messages' })
export class FundingMessageEntity implements FundingMessage {
  @PrimaryColumn('uuid', { name: 'paymaster_id' })
  paymasterId!: string;

  @Column('text')
  message!: string;

  @Column('timestamptz', { name: 'issued_at' })
  issuedAt!: Date;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
