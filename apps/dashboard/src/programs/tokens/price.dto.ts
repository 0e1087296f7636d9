import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import {
  MAX_FEED_HEARTBEAT_SECONDS,
  type PriceReference,
  type PriceSourceDeclaration,
  type SentPrice,
} from '@paymaster/domain';
import { Type } from 'class-transformer';
import { IsInt, IsObject, Matches, Max, Min, ValidateNested } from 'class-validator';
import { ADDRESS, TEXT_OR_NULL } from '../../platform/fields/api-fields';
import { EachPriceSource, FieldsOf } from '../../platform/fields/each-field';
import { IfSentAndNotNull } from '../../platform/fields/presence-rules';
import { IsNonZeroAddress } from '../../platform/fields/token-rules';

/** A Chainlink-style feed. Decorators are checked from the bottom up. */
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
@EachPriceSource(SentSource)
export class PriceDto extends FieldsOf<SentPrice>() {}

class PriceFeedView {
  @ApiProperty(ADDRESS) readonly address!: string;
  @ApiProperty({ type: 'integer', example: 86_400 }) readonly heartbeatSeconds!: number;
}

@EachPriceSource((source) =>
  source.kind === 'feed'
    ? ApiProperty({ type: PriceFeedView, nullable: true })
    : ApiProperty({ ...TEXT_OR_NULL, example: source.example }),
)
export class PriceView extends FieldsOf<PriceReference>() {}

/** The first rule listed is the first one checked. */
function SentSource(source: PriceSourceDeclaration): PropertyDecorator {
  const { says: description } = source;
  if (source.kind === 'feed') {
    return applyDecorators(
      ApiProperty({ type: PriceFeedDto, nullable: true, description, required: false }),
      IfSentAndNotNull(),
      Type(() => PriceFeedDto),
      IsObject(),
      ValidateNested(),
    );
  }
  return applyDecorators(
    ApiProperty({ ...TEXT_OR_NULL, example: source.example, description, required: false }),
    IfSentAndNotNull(),
    Matches(source.pattern, { message: `$property ${source.rule}` }),
  );
}
