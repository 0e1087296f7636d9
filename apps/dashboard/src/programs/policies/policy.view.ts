import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  AUDIT_ACTIONS,
  type AuditAction,
  type PaymasterChange,
  type RecordedChange,
} from '../../platform/audit/audit-entry';
import type { Paymaster } from '../../access/paymasters/paymaster';
import type { Need } from '../../access/people/role';
import { POLICY_TYPES, type Policy, type PolicyContent, type PolicyType } from './policy';
import { DescribesPolicyData, POLICY_VERSION } from './policy.dto';
import { shownUrl } from './shown-url';
import { SHARED_POLICY_TYPES, type SharedPolicy, type SharedPolicyType } from './shared-policy';
import { CHAIN_ID, ID_OR_NULL, TEXT_OR_NULL } from '../../platform/fields/api-fields';

/** A policy record as existing API users know it. */
export class PolicyView {
  @ApiProperty({ format: 'uuid' }) readonly _id!: string;
  @ApiProperty({ example: 'Two a day' }) readonly name!: string;
  @ApiProperty({ enum: POLICY_TYPES }) readonly policyType!: PolicyType;
  @ApiProperty({ format: 'uuid', description: 'The account.' }) readonly organisationId!: string;
  @ApiProperty({ format: 'uuid' }) readonly paymasterId!: string;
  @ApiProperty({ format: 'uuid', description: 'The account that made it.' }) readonly createdBy!: string;
  @ApiProperty(CHAIN_ID) readonly chainId!: number;
  @ApiProperty({ description: 'False while it is paused.' }) readonly active!: boolean;
  @ApiPropertyOptional({
    ...POLICY_VERSION,
    description: `${POLICY_VERSION.description} Only where it is asked for: clients of before know no such field.`,
  })
  readonly version?: number;
  @DescribesPolicyData() readonly policyData!: PolicyContent['policyData'];
}

/** @param withVersion whether the caller asked for the version, or sent one */
export function toPolicyView(policy: Policy, { accountId, chainId }: Paymaster, withVersion = false): PolicyView {
  return {
    _id: policy.id,
    name: policy.name,
    policyType: policy.policyType,
    organisationId: accountId,
    paymasterId: policy.paymasterId,
    createdBy: policy.createdBy,
    chainId,
    active: policy.active,
    ...(withVersion && { version: policy.version }),
    policyData: policy.policyData,
  };
}

/** A policy as a caller is shown it. */
export function shownPolicy(policy: Policy, may: readonly Need[]): Policy {
  if (policy.policyType !== 'WEBHOOK') return policy;
  return { ...policy, policyData: { url: shownUrl(policy.policyData.url, may) } };
}

/** What of a policy can change, as the audit log has it. */
export class LoggedPolicy {
  @ApiProperty({ example: 'Two a day' }) readonly name!: string;
  @ApiProperty({ enum: [...new Set([...POLICY_TYPES, ...SHARED_POLICY_TYPES])] })
  readonly policyType!: PolicyType | SharedPolicyType;
  @ApiProperty() readonly active!: boolean;
  @DescribesPolicyData({ ofShared: ['SpendingLimitsDto'] }) readonly policyData!: (Policy | SharedPolicy)['policyData'];
  @ApiPropertyOptional({ type: [String], format: 'uuid', description: 'Of a shared policy.' })
  readonly paymasterIds?: readonly string[];
}

export function toLoggedPolicy({ name, policyType, active, policyData }: Policy): LoggedPolicy {
  return { name, policyType, active, policyData };
}

/** A policy of the audit log as a caller is shown it. */
export function shownLoggedPolicy(policy: LoggedPolicy, may: readonly Need[]): LoggedPolicy {
  const { url } = policy.policyData as { url?: string };
  return url === undefined ? policy : { ...policy, policyData: { url: shownUrl(url, may) } };
}

/** A change of a policy in the audit log; one of both is there. */
export function toPolicyChange(before: Policy, after: Policy | null): RecordedChange;
export function toPolicyChange(before: null, after: Policy): RecordedChange;
export function toPolicyChange(before: Policy | null, after: Policy | null): RecordedChange {
  return {
    subject: 'policy',
    subjectId: (before ?? after)?.id ?? '',
    before: before && toLoggedPolicy(before),
    after: after && toLoggedPolicy(after),
  };
}

/** Who changed a policy, when and how. */
export class PolicyChangeView {
  @ApiProperty({ type: 'integer', example: 7, description: 'The paymaster’s version that the change made.' })
  readonly version!: number;
  @ApiProperty({ format: 'date-time' }) readonly at!: string;
  @ApiProperty({ format: 'uuid' }) readonly accountId!: string;
  @ApiProperty({
    ...TEXT_OR_NULL,
    example: '1f0c3a5e',
    description: 'The first 8 digits of the id of the auth token that was used; null: a person did it.',
  })
  readonly tokenIdPrefix!: string | null;
  @ApiProperty({ ...ID_OR_NULL, description: 'The person; null with an auth token.' })
  readonly personId!: string | null;
  @ApiProperty({ enum: AUDIT_ACTIONS }) readonly action!: AuditAction;
  @ApiProperty({ type: LoggedPolicy, nullable: true, description: 'Null before it was created.' })
  readonly before!: object | null;
  @ApiProperty({ type: LoggedPolicy, nullable: true, description: 'Null after it was deleted.' })
  readonly after!: object | null;
}

export function toPolicyChangeView(entry: PaymasterChange): PolicyChangeView {
  const { version, at, accountId, tokenIdPrefix, personId, action, before, after } = entry;
  return { version, at: at.toISOString(), accountId, tokenIdPrefix, personId, action, before, after };
}
