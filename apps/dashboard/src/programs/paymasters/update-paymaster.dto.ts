import { ApiPropertyOptional } from '@nestjs/swagger';
import { IfSent, IfSentAndNotNull } from '../../platform/fields/presence-rules';
import { IsName } from '../../platform/fields/text-rules';

/** Body of PATCH paymaster/:paymasterId; what is left out stays as it is. */
export class UpdatePaymasterDto {
  @ApiPropertyOptional({
    ...{ minLength: 1, maxLength: 100, example: 'My dapp' },
    description: 'Unique for the chain id.',
  })
  @IsName()
  @IfSent()
  name?: string;

  @ApiPropertyOptional({
    ...{ type: String, nullable: true, minLength: 1, maxLength: 100, example: 'Shop' },
    description: 'The paymasters of an account with the same project belong together; null: to none.',
  })
  @IsName()
  @IfSentAndNotNull()
  project?: string | null;
}
