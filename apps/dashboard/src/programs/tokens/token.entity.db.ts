import {
  toPriceReference,
  type Address,
  type ChargingWay,
  type PriceReference,
  type SentPrice,
} from '@paymaster/domain';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import { bigintColumn } from '../../platform/database/column-transformers';
import type { Token } from './token';

@Entity({ name: 'tokens' })
export class TokenEntity implements Token {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'paymaster_id' }) paymasterId!: string;
  @Column('text') address!: Address;
  @Column('text') symbol!: string;
  @Column('smallint') decimals!: number;
  @Column('text', { name: 'logo_url', nullable: true }) logoUrl!: string | null;
  @Column('text', { name: 'price_feed_address', nullable: true }) priceFeedAddress!: Address | null;
  @Column('integer', { name: 'price_feed_heartbeat_seconds', nullable: true })
  priceFeedHeartbeatSeconds!: number | null;
  @Column('text', { name: 'price_api_id', nullable: true }) priceApiId!: string | null;
  @Column('text', { name: 'price_fixed_usd', nullable: true }) priceFixedUsd!: string | null;
  /** The sources that have no column of their own. */
  @Column('jsonb', { name: 'price_others' }) priceOthers!: SentPrice;
  @Column('integer', { name: 'premium_millionths' }) premiumMillionths!: number;
  @Column('numeric', { name: 'exposure_cap_wei', precision: 78, scale: 0, nullable: true, transformer: bigintColumn })
  exposureCapWei!: bigint | null;
  @Column('text', { name: 'charging_ways', array: true }) chargingWays!: ChargingWay[];
  @Column('integer', { name: 'transfer_gas' }) transferGas!: number;
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' }) createdAt!: Date;

  get price(): PriceReference {
    const { priceFeedAddress: address, priceFeedHeartbeatSeconds: heartbeatSeconds } = this;
    const feed = address !== null && heartbeatSeconds !== null ? { address, heartbeatSeconds } : null;
    return toPriceReference({ ...this.priceOthers, feed, apiId: this.priceApiId, fixedUsd: this.priceFixedUsd });
  }
}
