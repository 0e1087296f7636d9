import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsString, Matches, ValidateIf } from 'class-validator';
import { ExpectedValues } from '../../platform/http/expected-values';
import { IsAddress, Name, IsStoredAddress } from '../../platform/fields/text-rules';
import { ABI_EXAMPLE, ADDRESS, METHODS } from '../../platform/fields/api-fields';

const MAX_ENTRIES = 2_000;

/** Body of operation 3. Decorators are checked from the bottom up. */
export class CreateSmartContractDto {
  @Name({ description: 'Unique within the paymaster.', example: 'Shop' })
  name!: string;

  @ApiProperty(ADDRESS)
  @IsStoredAddress()
  address!: string;

  @ApiProperty({
    oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'object' } }, { type: 'object' }],
    example: ABI_EXAMPLE,
    description:
      'The ABI: as JSON text, which is kept and returned as sent; as a list; or a file of Hardhat, Foundry or ' +
      'Etherscan, as text or as an object. Of a list or file the text of its ABI is kept and returned.',
  })
  @Matches(/^[^\p{Cs}]*$/u, { message: 'abi must be well-formed text' })
  @IsString()
  abi!: string;

  @ApiPropertyOptional({
    ...METHODS,
    description:
      'Names (every overload), signatures such as `set(uint256)`, `set(uint x)`, or selectors such as `0x60fe47b1`; ' +
      'none when left out. Returned as sent.',
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

  @ExpectedValues()
  expected?: object;
}

/** Body of operation 7. */
export class DeleteSmartContractDto {
  @ApiProperty(ADDRESS)
  @IsAddress()
  address!: string;
}
