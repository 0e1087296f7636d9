import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsString, Matches, ValidateIf } from 'class-validator';
import { IsAddress, IsName } from '../fields/text-rules';
import { ABI_EXAMPLE, ADDRESS, METHODS } from '../fields/api-fields';

const MAX_ENTRIES = 2_000;

/** Body of operation 3. Decorators are checked from the bottom up. */
export class CreateSmartContractDto {
  @ApiProperty({ minLength: 1, maxLength: 100, description: 'Unique within the paymaster.', example: 'Shop' })
  @IsName()
  name!: string;

  @ApiProperty(ADDRESS)
  @IsAddress()
  address!: string;

  @ApiProperty({ description: 'The ABI as JSON text; kept and returned as sent.', example: ABI_EXAMPLE })
  @Matches(/^[^\p{Cs}]*$/u, { message: 'abi must be well-formed text' })
  @IsString()
  abi!: string;

  @ApiPropertyOptional({
    ...METHODS,
    description: 'Method names (every overload) or full signatures; none when left out.',
  })
  @IsString({ each: true })
  @ArrayMaxSize(MAX_ENTRIES)
  @IsArray()
  @ValidateIf((_object, value) => value !== undefined)
  whitelistedMethods?: string[];
}

/** Body of operation 5. */
export class UpdateWhitelistDto {
  @ApiProperty({ ...METHODS, description: 'Replaces the list; an empty one sponsors nothing.' })
  @IsString({ each: true })
  @ArrayMaxSize(MAX_ENTRIES)
  @IsArray()
  whitelistedMethods!: string[];

  @ApiProperty(ADDRESS)
  @IsAddress()
  address!: string;
}

/** Body of operation 7. */
export class DeleteSmartContractDto {
  @ApiProperty(ADDRESS)
  @IsAddress()
  address!: string;
}
