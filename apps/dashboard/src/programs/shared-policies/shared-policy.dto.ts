import { ApiProperty, ApiPropertyOptional, getSchemaPath, type ApiPropertyOptions } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayNotEmpty, IsArray, IsBoolean, IsIn, IsObject, IsUUID } from 'class-validator';
import { IfSent } from '../../platform/fields/presence-rules';
import { SHARED_POLICY_TYPES, type SharedPolicyType } from '../policies/shared-policy';
import { IsExpectedVersion, IsPolicyName } from '../policies/policy.dto';

/** Each is locked and checked in one transaction. */
export const MAX_SHARING_PAYMASTERS = 50;

/** Made from schemas, see buildOpenApi. */
export const SHARED_POLICY_DATA: ApiPropertyOptions = {
  anyOf: ['SpendingLimitsDto', 'RulesDto'].map((model) => ({ $ref: getSchemaPath(model) })),
  description: 'Of the kind that policyType names; unknown fields are refused.',
};

const PAYMASTER_IDS = {
  type: [String] as [StringConstructor],
  format: 'uuid',
  minItems: 1,
  maxItems: MAX_SHARING_PAYMASTERS,
  example: ['7ea9dae1-9a06-4c17-a4fb-7728177b76d3', '0b0e7d2e-9a06-4c17-a4fb-7728177b76d3'],
  description: 'The paymasters that share it, on any chains; all of this account.',
};

/** Body of POST shared-policy. `policyData` is checked by its kind, see PolicyDataParser. */
export class CreateSharedPolicyDto {
  @IsPolicyName()
  name!: string;

  @ApiProperty({
    enum: SHARED_POLICY_TYPES,
    description: 'SPENDING_LIMITS: limits on all that is sponsored. RULES: a policy that sponsors.',
  })
  @IsIn(SHARED_POLICY_TYPES)
  policyType!: SharedPolicyType;

  @ApiProperty(SHARED_POLICY_DATA)
  @IsObject()
  policyData!: object;

  @ApiProperty(PAYMASTER_IDS)
  @IsUUID('all', { each: true })
  @ArrayMaxSize(MAX_SHARING_PAYMASTERS)
  @ArrayNotEmpty()
  @IsArray()
  paymasterIds!: string[];
}

/** Body of PATCH shared-policy/:policyId; what is left out stays as it is. */
export class UpdateSharedPolicyDto {
  @ApiPropertyOptional({ minLength: 1, maxLength: 100, example: 'Budget of all chains' })
  @IsPolicyName()
  @IfSent()
  name?: string;

  @ApiPropertyOptional({ description: 'False pauses it; what was used goes on counting.' })
  @IsBoolean()
  @IfSent()
  active?: boolean;

  @ApiProperty({ ...SHARED_POLICY_DATA, required: false, description: 'Replaces the whole data.' })
  @IsObject()
  @IfSent()
  policyData?: object;

  @ApiPropertyOptional({ ...PAYMASTER_IDS, description: 'Replaces the whole list.' })
  @IsUUID('all', { each: true })
  @ArrayMaxSize(MAX_SHARING_PAYMASTERS)
  @ArrayNotEmpty()
  @IsArray()
  @IfSent()
  paymasterIds?: string[];

  @IsExpectedVersion()
  expectedVersion?: number;
}
