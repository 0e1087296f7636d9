import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { PRICE_SOURCE_NAMES, sourcesOf, TOKEN_TERMS, type WrittenOf } from '@paymaster/domain';
import { Type } from 'class-transformer';
import { IsObject, ValidateBy, ValidateNested } from 'class-validator';
import { EachWritten, FieldsOf } from '../../platform/fields/each-field';
import { SentField } from '../../platform/fields/field-on-rest';
import { IfSent } from '../../platform/fields/presence-rules';
import { IsAddress } from '../../platform/fields/text-rules';
import { IsTokenAddress } from '../../platform/fields/token-rules';
import { ExpectedValues } from '../../platform/http/expected-values';
import { PriceDto } from './price.dto';
import { ADDRESS } from '../../platform/fields/api-fields';

/** An object that names where a price comes from. */
function NamesPriceSource(): PropertyDecorator {
  return ValidateBy({
    name: 'namesPriceSource',
    validator: {
      validate: (price: unknown) => sourcesOf((price ?? {}) as object).length > 0,
      defaultMessage: () => `$property must name at least one of ${PRICE_SOURCE_NAMES}`,
    },
  });
}

/** The first rule listed is the first one checked. */
const IsPrice = (): PropertyDecorator =>
  applyDecorators(
    Type(() => PriceDto),
    IsObject(),
    NamesPriceSource(),
    ValidateNested(),
  );

/** What an owner says of a token beside its price; the rest is read on chain. */
@EachWritten(TOKEN_TERMS, SentField)
class TokenTermsDto extends FieldsOf<Partial<WrittenOf<typeof TOKEN_TERMS>>>() {}

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
