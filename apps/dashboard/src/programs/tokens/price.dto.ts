import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { MAX_FEED_HEARTBEAT_SECONDS } from '@paymaster/messaging';
import { Type } from 'class-transformer';
import { IsInt, IsObject, Max, Min, ValidateNested } from 'class-validator';
import { IfSentAndNotNull } from '../../platform/fields/presence-rules';
import { IsNonZeroAddress } from '../../platform/fields/token-rules';
import { IsPriceApiId, IsUsdAmount } from './price-rules';
import { ADDRESS, TEXT_OR_NULL } from '../../platform/fields/api-fields';

/** A Chainlink-style feed of the token in USD. Decorators are checked from the bottom up. */
export class PriceFeedDto {
  @ApiProperty({ ...ADDRESS, description: 'Must answer decimals() and latestRoundData() when it is sent.' })
  @IsNonZeroAddress()
  address!: string;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: MAX_FEED_HEARTBEAT_SECONDS, example: 86_400 })
  @Max(MAX_FEED_HEARTBEAT_SECONDS)
  @Min(1)
  @IsInt()
  heartbeatSeconds!: number;
}

/** Where the token's price in USD comes from: at least one source; all that are named are asked. */
export class PriceDto {
  @ApiPropertyOptional({ type: PriceFeedDto, nullable: true })
  @ValidateNested()
  @IsObject()
  @Type(() => PriceFeedDto)
  @IfSentAndNotNull()
  feed?: PriceFeedDto | null;

  @ApiPropertyOptional({ ...TEXT_OR_NULL, description: 'Id at the HTTP price API.' })
  @IsPriceApiId()
  @IfSentAndNotNull()
  apiId?: string | null;

  @ApiPropertyOptional({
    ...TEXT_OR_NULL,
    example: '1',
    description: 'USD per whole token, as decimal text, for a token that is pegged by agreement.',
  })
  @IsUsdAmount()
  @IfSentAndNotNull()
  fixedUsd?: string | null;
}
