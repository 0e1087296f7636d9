import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { CHARGING_WAYS, type ChargingWay } from '@paymaster/domain';
import { Type } from 'class-transformer';
import { ArrayNotEmpty, IsObject, Matches, ValidateNested } from 'class-validator';
import { IfSent, IfSentAndNotNull } from '../../platform/fields/presence-rules';
import { IsAddress, IsWeiDigits } from '../../platform/fields/text-rules';
import { AreChargingWays, IsTokenAddress } from '../../platform/fields/token-rules';
import { ExpectedValues } from '../../platform/http/expected-values';
import { PREMIUM_PATTERN } from './premium';
import { IsLogoUrl, NamesPriceSource } from './price-rules';
import { PriceDto } from './price.dto';
import { ADDRESS, WEI } from '../../platform/fields/api-fields';

/** The first rule listed is the first one checked. */
const IsPrice = (): PropertyDecorator =>
  applyDecorators(
    Type(() => PriceDto),
    IsObject(),
    NamesPriceSource(),
    ValidateNested(),
  );

/** What an owner says of a token; the rest is read on chain. Decorators are checked from the bottom up. */
class TokenTermsDto {
  @ApiPropertyOptional({
    type: String,
    example: '2.5',
    description: 'On top of the price; 0 to 100, at most 4 decimals. A new token has 10 where none is sent.',
  })
  @Matches(PREMIUM_PATTERN, {
    message: 'premiumPercentage must be text of a number from 0 to 100 with at most 4 decimals',
  })
  @IfSent()
  premiumPercentage?: string;

  @ApiPropertyOptional({
    ...WEI,
    nullable: true,
    description:
      'Cap on what is outstanding in way batchApproval, in wei, decimal digits; null for the chain’s default.',
  })
  @IsWeiDigits()
  @IfSentAndNotNull()
  exposureCapWei?: string | null;

  @ApiPropertyOptional({
    enum: CHARGING_WAYS,
    isArray: true,
    description: 'At least one, each once. A new token has all where none is sent.',
  })
  @ArrayNotEmpty()
  @AreChargingWays()
  @IfSent()
  chargingWays?: ChargingWay[];

  @ApiPropertyOptional({ type: String, nullable: true, maxLength: 2_048, description: 'An https URL.' })
  @IsLogoUrl()
  @IfSentAndNotNull()
  logoUrl?: string | null;
}

/** Body of POST token. */
export class RegisterTokenDto extends TokenTermsDto {
  @ApiProperty({ ...ADDRESS, description: 'symbol, decimals and transferGas are read on chain.' })
  @IsTokenAddress()
  address!: string;

  @ApiProperty({ type: PriceDto })
  @IsPrice()
  price!: PriceDto;
}

/** Body of PATCH token; what is left out stays as it is. */
export class UpdateTokenDto extends TokenTermsDto {
  @ApiProperty(ADDRESS)
  @IsAddress()
  address!: string;

  @ApiPropertyOptional({
    type: PriceDto,
    description: 'Replaces the whole price: sources that are not named are gone.',
  })
  @IsPrice()
  @IfSent()
  price?: PriceDto;

  @ExpectedValues()
  expected?: object;
}

/** Body of DELETE token. */
export class DeleteTokenDto extends PickType(UpdateTokenDto, ['address']) {}
