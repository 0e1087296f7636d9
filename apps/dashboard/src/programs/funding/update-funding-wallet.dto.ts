import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsString } from 'class-validator';
import { IsStoredAddress } from '../../platform/fields/text-rules';
import { ADDRESS } from '../../platform/fields/api-fields';

/** Body of operation 6b. Decorators are checked from the bottom up. */
export class UpdateFundingWalletDto {
  @ApiProperty({ format: 'uuid' })
  @IsString()
  paymasterId!: string;

  @ApiProperty({ enum: ['paymasterFundingId'] })
  @IsIn(['paymasterFundingId'])
  @IsString()
  type!: 'paymasterFundingId';

  @ApiProperty({
    description: 'EIP-191 signature of the latest funding message: 65 bytes, low s.',
    example: `0x${'1'.repeat(128)}1b`,
  })
  @IsString()
  signature!: string;

  @ApiProperty({ ...ADDRESS, description: 'The wallet that signed.' })
  @IsStoredAddress()
  address!: string;
}
