import { ApiProperty } from '@nestjs/swagger';
import { TOKEN_TERMS, toWritten, type TokenListing, type WrittenOf } from '@paymaster/domain';
import { ADDRESS } from '../../platform/fields/api-fields';
import { EachWritten, FieldsOf } from '../../platform/fields/each-field';
import { ShownField } from '../../platform/fields/field-on-rest';
import { PriceView } from './price.dto';

/** Whose list a token stands in: the operator's for the chain, or the paymaster's own. */
export const TOKEN_SOURCES = ['paymaster', 'chain'] as const;
export type TokenSource = (typeof TOKEN_SOURCES)[number];

/** A token that users of a paymaster can pay with. */
@EachWritten(TOKEN_TERMS, ShownField)
export class TokenView extends FieldsOf<WrittenOf<typeof TOKEN_TERMS>>() {
  @ApiProperty({ enum: TOKEN_SOURCES, description: 'Only tokens of the paymaster can be updated and deleted.' })
  readonly source!: TokenSource;
  @ApiProperty({ ...ADDRESS, description: 'In lower case.' }) readonly address!: string;
  @ApiProperty({ example: 'USDC' }) readonly symbol!: string;
  @ApiProperty({ type: 'integer', example: 6 }) readonly decimals!: number;
  @ApiProperty({ type: PriceView }) readonly price!: PriceView;
  @ApiProperty({ type: 'integer', example: 65_000, description: 'Upper bound on the gas of one transfer.' })
  readonly transferGas!: number;
}

export function toTokenView(token: TokenListing, source: TokenSource): TokenView {
  const { address, symbol, decimals, price, transferGas } = token;
  return { source, address, symbol, decimals, price, ...toWritten(TOKEN_TERMS, token), transferGas };
}
