import { ApiProperty } from '@nestjs/swagger';
import { CHARGING_WAYS, type ChargingWay, type TokenListing } from '@paymaster/domain';
import { ADDRESS, WEI } from '../../platform/fields/api-fields';
import { toPremiumPercentage } from './premium';
import { PriceView } from './price.dto';

/** Whose list a token stands in: the operator's for the chain, or the paymaster's own. */
export const TOKEN_SOURCES = ['paymaster', 'chain'] as const;
export type TokenSource = (typeof TOKEN_SOURCES)[number];

/** A token that users of a paymaster can pay with. */
export class TokenView {
  @ApiProperty({ enum: TOKEN_SOURCES, description: 'Only tokens of the paymaster can be updated and deleted.' })
  readonly source!: TokenSource;
  @ApiProperty({ ...ADDRESS, description: 'In lower case.' }) readonly address!: string;
  @ApiProperty({ example: 'USDC' }) readonly symbol!: string;
  @ApiProperty({ type: 'integer', example: 6 }) readonly decimals!: number;
  @ApiProperty({ type: String, nullable: true, example: 'https://cdn.example.org/usdc.png' })
  readonly logoUrl!: string | null;
  @ApiProperty({ type: PriceView }) readonly price!: PriceView;
  @ApiProperty({ example: '10' }) readonly premiumPercentage!: string;
  @ApiProperty({ ...WEI, nullable: true, description: 'Decimal digits; null for the chain’s default.' })
  readonly exposureCapWei!: string | null;
  @ApiProperty({ enum: CHARGING_WAYS, isArray: true }) readonly chargingWays!: readonly ChargingWay[];
  @ApiProperty({ type: 'integer', example: 65_000, description: 'Upper bound on the gas of one transfer.' })
  readonly transferGas!: number;
}

export function toTokenView(token: TokenListing, source: TokenSource): TokenView {
  return {
    source,
    address: token.address,
    symbol: token.symbol,
    decimals: token.decimals,
    logoUrl: token.logoUrl,
    price: token.price,
    premiumPercentage: toPremiumPercentage(token.premiumMillionths),
    exposureCapWei: token.exposureCapWei?.toString() ?? null,
    chargingWays: token.chargingWays,
    transferGas: token.transferGas,
  };
}
