import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { SETTINGS, type Setting, type SettingName } from '@paymaster/domain';
import { MAX_SNAPSHOT_POLICIES } from '@paymaster/messaging';
import { Type } from 'class-transformer';
import {
  Allow,
  Equals,
  IsArray,
  IsBoolean,
  IsIn,
  IsObject,
  IsOptional,
  Matches,
  ValidateNested,
} from 'class-validator';
import { IsListOf } from '../../platform/http/list-rules';
import { IfSent } from '../../platform/fields/presence-rules';
import { UpdateSettingsDto } from '../paymasters/update-settings.dto';
import { POLICY_TYPES, type PolicyType } from '../policies/policy';
import { DescribesPolicyData, IsPolicyName } from '../policies/policy.dto';
import { CreateSmartContractDto } from '../smart-contracts/smart-contract.dto';
import { ABI_EXAMPLE } from '../../platform/fields/api-fields';

/** The form of the document; another one is not understood. */
export const FORMAT_VERSION = 1;

/** The settings that decide about sponsorship; the rest is about tokens and browsers. */
export const SPONSORSHIP_SETTINGS = Object.entries<Setting>(SETTINGS)
  .filter(([, { isInDocuments }]) => isInDocuments !== false)
  .map(([name]) => name as SettingName);

/** A policy in the document. Decorators are checked from the bottom up. */
export class DocumentPolicyDto {
  @ApiPropertyOptional({
    type: String,
    format: 'uuid',
    description: 'A policy with this id is changed; else one of the same name and type; else a new one is made.',
  })
  @Allow()
  policyId?: unknown;

  @IsPolicyName()
  name!: string;

  @ApiProperty({ enum: POLICY_TYPES })
  @IsIn(POLICY_TYPES)
  policyType!: PolicyType;

  @ApiPropertyOptional({ default: true })
  @IsBoolean()
  @IfSent()
  active?: boolean;

  @DescribesPolicyData()
  @IsObject()
  policyData!: object;
}

/** A contract in the document. */
export class DocumentContractDto extends PickType(CreateSmartContractDto, ['name', 'address', 'whitelistedMethods']) {
  @ApiPropertyOptional({ description: 'May be left out of a contract that is registered.', example: ABI_EXAMPLE })
  @Matches(/^[^\p{Cs}]*$/u, { message: 'abi must be well-formed text' })
  @IfSent()
  abi?: string;
}

/** The settings in the document; what is left out stays as it is. */
export class DocumentSettingsDto extends PickType(UpdateSettingsDto, SPONSORSHIP_SETTINGS) {}

/** All that a paymaster sponsors. Nothing unknown may stand in it. */
export class PolicyDocumentDto {
  @ApiProperty({ type: 'integer', enum: [FORMAT_VERSION] })
  @Equals(FORMAT_VERSION)
  formatVersion!: typeof FORMAT_VERSION;

  @ApiPropertyOptional({
    type: 'integer',
    readOnly: true,
    example: 7,
    description: 'Of the paymaster when it was exported.',
  })
  @Allow()
  version?: unknown;

  @ApiPropertyOptional({
    type: 'object',
    properties: { name: { type: 'string', example: 'My dapp' }, chainId: { type: 'integer', example: 31337 } },
    readOnly: true,
    description: 'Whose document it is. It may be imported into another paymaster.',
  })
  @Allow()
  paymaster?: unknown;

  @ApiProperty({ type: [DocumentPolicyDto], maxItems: MAX_SNAPSHOT_POLICIES, description: 'All there are to be.' })
  @IsListOf(() => DocumentPolicyDto, MAX_SNAPSHOT_POLICIES)
  policies!: DocumentPolicyDto[];

  @ApiPropertyOptional({
    type: [DocumentContractDto],
    description: 'All there are to be; when they are left out, they stay as they are.',
  })
  @ValidateNested({ each: true })
  @IsObject({ each: true })
  @IsArray()
  @Type(() => DocumentContractDto)
  @IsOptional()
  contracts?: DocumentContractDto[] | null;

  @ApiPropertyOptional({ type: DocumentSettingsDto })
  @ValidateNested()
  @IsObject()
  @Type(() => DocumentSettingsDto)
  @IsOptional()
  settings?: DocumentSettingsDto | null;
}
