import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayNotEmpty, IsArray, IsUUID } from 'class-validator';
import { CreatePolicyDto } from '../policies/policy.dto';
import { CreateSmartContractDto } from '../smart-contracts/smart-contract.dto';

/** Each is changed in a transaction of its own, one after the other. */
const MOST = 50;

const ArePaymasterIds = (): PropertyDecorator =>
  applyDecorators(
    ApiProperty({
      ...{ type: [String], format: 'uuid', minItems: 1, maxItems: MOST },
      example: ['7ea9dae1-9a06-4c17-a4fb-7728177b76d3', '0b0e7d2e-9a06-4c17-a4fb-7728177b76d3'],
      description: 'The paymasters that get it, on any chains; all of this account.',
    }),
    IsArray(),
    ArrayNotEmpty(),
    ArrayMaxSize(MOST),
    IsUUID('all', { each: true }),
  );

/** Body of POST account/smart-contract. */
export class CreateSmartContractsDto extends CreateSmartContractDto {
  @ArePaymasterIds()
  paymasterIds!: string[];
}

/** Body of POST account/paymaster-policy. */
export class CreatePoliciesDto extends CreatePolicyDto {
  @ArePaymasterIds()
  paymasterIds!: string[];
}
