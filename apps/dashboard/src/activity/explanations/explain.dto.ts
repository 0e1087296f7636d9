import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsObject, ValidateBy, ValidateNested } from 'class-validator';
import { ADDRESS } from '../../platform/fields/api-fields';
import { IfSent, IfSentAndNotNull } from '../../platform/fields/presence-rules';
import { IsAddress } from '../../platform/fields/text-rules';

/** Text or a number; the gateway, which knows the forms that each EntryPoint has, names the field that is wrong. */
function IsValue(): PropertyDecorator {
  return ValidateBy({
    name: 'isValue',
    validator: {
      validate: (value: unknown) => typeof value === 'string' || Number.isSafeInteger(value),
      defaultMessage: (problem) => `${problem?.property} must be text, or a whole number`,
    },
  });
}

const quantity = (example: string) => ({ type: String, example, description: 'Hex, or decimal digits.' });
const bytes = (example?: string) => ({ type: String, nullable: true, ...(example && { example }) });

class AuthorizationDto {
  @ApiProperty(ADDRESS) @IsValue() address!: string;
  @ApiProperty(quantity('0x1')) @IsValue() chainId!: string;
  @ApiProperty(quantity('0x0')) @IsValue() nonce!: string;
  @ApiProperty(quantity('0x1')) @IsValue() r!: string;
  @ApiProperty(quantity('0x1')) @IsValue() s!: string;
  @ApiProperty(quantity('0x0')) @IsValue() yParity!: string;
}

/** A user operation of any EntryPoint version, as an app would send it to a gateway. */
class UserOperationDto {
  @ApiProperty(ADDRESS) @IsValue() sender!: string;
  @ApiProperty(quantity('0x5')) @IsValue() nonce!: string;
  @ApiPropertyOptional(bytes()) @IsValue() @IfSentAndNotNull() initCode?: string | null;
  @ApiPropertyOptional(bytes()) @IsValue() @IfSentAndNotNull() factory?: string | null;
  @ApiPropertyOptional(bytes()) @IsValue() @IfSentAndNotNull() factoryData?: string | null;
  @ApiProperty({ type: String, example: '0x' }) @IsValue() callData!: string;
  @ApiPropertyOptional(quantity('0x11170')) @IsValue() @IfSentAndNotNull() callGasLimit?: string | null;
  @ApiPropertyOptional(quantity('0x186a0')) @IsValue() @IfSentAndNotNull() verificationGasLimit?: string | null;
  @ApiPropertyOptional(quantity('0xc350')) @IsValue() @IfSentAndNotNull() preVerificationGas?: string | null;
  @ApiProperty(quantity('0x77359400')) @IsValue() maxFeePerGas!: string;
  @ApiProperty(quantity('0x3b9aca00')) @IsValue() maxPriorityFeePerGas!: string;
  @ApiPropertyOptional(bytes()) @IsValue() @IfSentAndNotNull() signature?: string | null;
  @ApiPropertyOptional(bytes()) @IsValue() @IfSentAndNotNull() paymasterAndData?: string | null;
  @ApiPropertyOptional(bytes()) @IsValue() @IfSentAndNotNull() paymaster?: string | null;
  @ApiPropertyOptional(bytes()) @IsValue() @IfSentAndNotNull() paymasterData?: string | null;
  @ApiPropertyOptional(bytes()) @IsValue() @IfSentAndNotNull() paymasterSignature?: string | null;

  @ApiPropertyOptional({ type: AuthorizationDto, nullable: true, description: 'EIP-7702.' })
  @Type(() => AuthorizationDto)
  @ValidateNested()
  @IsObject()
  @IfSentAndNotNull()
  eip7702Auth?: AuthorizationDto | null;
}

export class ExplainDto {
  @ApiProperty({ type: UserOperationDto })
  @Type(() => UserOperationDto)
  @ValidateNested()
  @IsObject()
  userOperation!: UserOperationDto;

  @ApiPropertyOptional({ ...ADDRESS, description: 'By default the one that follows from the fields.' })
  @IsAddress()
  @IfSent()
  entryPoint?: string;
}
