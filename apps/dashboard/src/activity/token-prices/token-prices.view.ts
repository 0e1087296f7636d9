import { ApiProperty } from '@nestjs/swagger';
import type { TokenPrice, TokenPrices } from '@paymaster/messaging';
import { ADDRESS, WEI } from '../../platform/fields/api-fields';
import { millionthsToPercent } from '@paymaster/domain';

const USD = { type: String, pattern: '^[0-9]+(\\.[0-9]+)?$', nullable: true, example: '0.9998' } as const;

export class TokenPriceView {
  @ApiProperty(ADDRESS) readonly address!: string;
  @ApiProperty({ example: 'USDx' }) readonly symbol!: string;
  @ApiProperty({ ...USD, description: 'Of a whole token; null while there is no price that can be believed.' })
  readonly usd!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Why there is no price; null where there is one.' })
  readonly problem!: string | null;
  @ApiProperty({ type: Number, nullable: true, example: 4.2, description: 'Null before the first price.' })
  readonly ageSeconds!: number | null;
  @ApiProperty({ type: [String], example: ['feed', 'prices.example'] }) readonly sources!: readonly string[];
  @ApiProperty({ type: [String], example: [], description: 'Sources that did not count when it was last read.' })
  readonly leftOut!: readonly string[];
  @ApiProperty({ example: '10' }) readonly premiumPercentage!: string;
  @ApiProperty({ ...WEI, description: 'What the funding wallet may lose now by payments in the token.' })
  readonly exposedWei!: string;
  @ApiProperty({
    ...WEI,
    description:
      'The most it may lose; for a token without a cap of its own at most 2 % of the wallet, if that is less.',
  })
  readonly exposureCapWei!: string;
}

/** What a paymaster's tokens are worth, as a gateway knows it. */
export class TokenPricesView {
  @ApiProperty({ ...USD, example: '3200.5', description: 'Of the chain’s coin.' }) readonly nativeUsd!: string | null;
  @ApiProperty({ type: [TokenPriceView], description: 'Empty where the chain has no token mode.' })
  readonly tokens!: readonly TokenPriceView[];
}

export function toTokenPricesView({ nativeUsd, tokens }: TokenPrices): TokenPricesView {
  return { nativeUsd, tokens: tokens.map(toTokenPriceView) };
}

function toTokenPriceView({ premiumMillionths, ...price }: TokenPrice): TokenPriceView {
  return { ...price, premiumPercentage: millionthsToPercent(premiumMillionths) };
}
