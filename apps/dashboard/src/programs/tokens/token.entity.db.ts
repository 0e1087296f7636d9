import {
  TOKEN_TERMS,
  toPriceReference,
  type Address,
  type PriceReference,
  type SentPrice,
  type TokenListing,
  type TokenTerms,
} from '@paymaster/domain';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import { ColumnOf } from '../../platform/database/field-columns';
import { EachField, FieldsOf } from '../../platform/fields/each-field';

/** A token that a paymaster takes beside, or in another way than, its chain's own. */
export interface Token extends TokenListing {
  readonly id: string;
  readonly paymasterId: string;
}

@Entity({ name: 'tokens' })
@EachField(TOKEN_TERMS, ColumnOf)
export class TokenEntity extends FieldsOf<TokenTerms>() implements Token {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'paymaster_id' }) paymasterId!: string;
  @Column('text') address!: Address;
  @Column('text') symbol!: string;
  @Column('smallint') decimals!: number;
  @Column('text', { name: 'price_feed_address', nullable: true }) priceFeedAddress!: Address | null;
  @Column('integer', { name: 'price_feed_heartbeat_seconds', nullable: true })
  priceFeedHeartbeatSeconds!: number | null;
  @Column('text', { name: 'price_api_id', nullable: true }) priceApiId!: string | null;
  @Column('text', { name: 'price_fixed_usd', nullable: true }) priceFixedUsd!: string | null;
  /** The sources that have no column of their own. */
  @Column('jsonb', { name: 'price_others' }) priceOthers!: SentPrice;
  @Column('integer', { name: 'transfer_gas' }) transferGas!: number;
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' }) createdAt!: Date;

  get price(): PriceReference {
    const { priceFeedAddress: address, priceFeedHeartbeatSeconds: heartbeatSeconds } = this;
    const feed = address !== null && heartbeatSeconds !== null ? { address, heartbeatSeconds } : null;
    return toPriceReference({ ...this.priceOthers, feed, apiId: this.priceApiId, fixedUsd: this.priceFixedUsd });
  }
}
