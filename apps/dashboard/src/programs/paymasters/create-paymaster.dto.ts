import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsInt, IsString } from 'class-validator';
import { Name } from '../../platform/fields/text-rules';
import {
  PAYMASTER_TYPES,
  PAYMASTER_VERSIONS,
  type PaymasterType,
  type PaymasterVersion,
} from '../../access/paymasters/paymaster';
import { CHAIN_ID } from '../../platform/fields/api-fields';

/** Body of operation 2. Decorators are checked from the bottom up. */
export class CreatePaymasterDto {
  @Name({ description: 'Unique for the chain id.', example: 'My dapp' })
  name!: string;

  @ApiProperty({ enum: PAYMASTER_TYPES })
  @IsIn(PAYMASTER_TYPES)
  @IsString()
  type!: PaymasterType;

  @ApiProperty(CHAIN_ID)
  @IsInt()
  chainId!: number;

  @ApiProperty({ enum: PAYMASTER_VERSIONS })
  @IsIn(PAYMASTER_VERSIONS)
  @IsString()
  version!: PaymasterVersion;
}
