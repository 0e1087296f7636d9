import { ApiProperty } from '@nestjs/swagger';
import { IsName } from '../../platform/fields/text-rules';

export class RenamePaymasterDto {
  @ApiProperty({ minLength: 1, maxLength: 100, description: 'Unique for the chain id.', example: 'My dapp' })
  @IsName()
  name!: string;
}
