import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { applyDecorators } from '@nestjs/common';
import { MAX_PRIORITY } from '@paymaster/domain';
import { Allow, IsIn, IsInt, IsObject, Matches, Max, Min } from 'class-validator';
import { IfSent } from '../../platform/fields/presence-rules';
import { IsName } from '../../platform/fields/text-rules';
import { POLICY_TYPES, type PolicyType } from './policy';
import { THRESHOLD_TYPES, type CycleLimitTerms } from './policy-data/cycle-limit.data';
import { CycleDurationDto, CycleLimitDto, IsCycleDuration } from './policy-data/cycle-limit.dto';
import { DecisionWebhookDto, WalletDeploymentDto } from './policy-data.parser';

const DATA_MODELS = [CycleLimitDto, WalletDeploymentDto, DecisionWebhookDto];
/** Made from the schema of the rules, see buildOpenApi. */
const RULES_MODEL = 'RulesDto';

/** Describes `policyData`, whose fields depend on `policyType`. */
export const DescribesPolicyData = ({
  ofShared = [],
  ...more
}: {
  readonly description?: string;
  readonly required?: boolean;
  readonly ofShared?: readonly string[];
} = {}): PropertyDecorator =>
  applyDecorators(
    // Swagger looks for extra models at the class.
    ({ constructor }: object) => void ApiExtraModels(...DATA_MODELS)(constructor),
    ApiProperty({
      anyOf: [...DATA_MODELS, RULES_MODEL, ...ofShared].map((model) => ({ $ref: getSchemaPath(model) })),
      description: 'Of the kind that policyType names; unknown fields are refused.',
      ...more,
    }),
  );

/** A name, as names are everywhere; characters outside the basic plane count twice, as in the gateway's message. */
export const IsPolicyName = (): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ minLength: 1, maxLength: 100, example: 'Two a day' }),
    IsName(),
    Matches(/^[^]{1,100}$/, { message: '$property must be 1 to 100 characters long' }),
  );

/** How views describe the version of a policy. */
export const POLICY_VERSION = {
  type: 'integer',
  example: 3,
  description: 'Grows with each change; what expectedVersion is compared with.',
} as const;

/** The version of the policy that the sender of a change looked at. */
export const IsExpectedVersion = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      type: 'integer',
      minimum: 1,
      description: 'Makes no change when the policy is at another version: the answer is 409.',
    }),
    IfSent(),
    IsInt(),
    Min(1),
  );

/** Body of POST paymaster-policy. `policyData` is checked by its kind, see PolicyDataParser. */
export class CreatePolicyDto {
  @IsPolicyName()
  name!: string;

  @ApiProperty({ enum: POLICY_TYPES })
  @IsIn(POLICY_TYPES)
  policyType!: PolicyType;

  @DescribesPolicyData()
  @IsObject()
  policyData!: object;
}

/** Body of PATCH paymaster-policy/:policyId; what is left out stays as it is. */
export class UpdatePolicyDto {
  @ApiPropertyOptional({ minLength: 1, maxLength: 100, example: 'Two a day' })
  @IsPolicyName()
  @IfSent()
  name?: string;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: MAX_PRIORITY,
    description: 'Of a RULES policy, without its other data.',
  })
  @Max(MAX_PRIORITY)
  @Min(0)
  @IsInt()
  @IfSent()
  priority?: number;

  @DescribesPolicyData({ required: false, description: 'Replaces the whole data: rules that are not named are gone.' })
  @IsObject()
  @IfSent()
  policyData?: object;

  @IsExpectedVersion()
  expectedVersion?: number;
}

/** Body of PATCH paymaster-policy/limit/:policyId; what is left out stays as it is. */
export class UpdateLimitDto {
  @ApiPropertyOptional({ minLength: 1, maxLength: 100, example: 'Two a day' })
  @IsPolicyName()
  @IfSent()
  name?: string;

  @ApiPropertyOptional({ type: CycleDurationDto })
  @IsCycleDuration()
  @IfSent()
  cycleDuration?: CycleDurationDto;

  @ApiPropertyOptional({ enum: THRESHOLD_TYPES })
  @IsIn(THRESHOLD_TYPES)
  @IfSent()
  thresholdType?: CycleLimitTerms['thresholdType'];

  @ApiPropertyOptional({
    anyOf: [{ type: 'number' }, { type: 'string' }],
    example: 2,
    description: 'Operations, or whole native units with at most 18 decimals; text keeps every digit.',
  })
  @Allow()
  threshold?: unknown;
}
