import { ApiProperty } from '@nestjs/swagger';
import { IsName } from '../platform/fields/text-rules';

const MAX_REASON_LENGTH = 300;

/** Body of POST operator/paymaster/:paymasterId/suspend. */
export class SuspendPaymasterDto {
  @ApiProperty({
    minLength: 1,
    maxLength: MAX_REASON_LENGTH,
    example: 'Its contract is used to drain wallets.',
    description: 'Plain text that the owner and all clients of the paymaster are told.',
  })
  @IsName(MAX_REASON_LENGTH)
  reason!: string;
}
