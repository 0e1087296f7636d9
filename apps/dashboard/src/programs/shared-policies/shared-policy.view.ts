import { ApiProperty } from '@nestjs/swagger';
import { CHAIN_ID } from '../../platform/fields/api-fields';
import { POLICY_VERSION } from '../policies/policy.dto';
import { SHARED_POLICY_TYPES, type SharedPolicy, type SharedPolicyContent } from '../policies/shared-policy';
import type { RecordedChange } from '../policy-changes/policy-writer';
import { SHARED_POLICY_DATA } from './shared-policy.dto';

/** A shared policy, and the paymasters that it is in force for. */
export type StoredSharedPolicy = SharedPolicy & {
  readonly createdAt: Date;
  /** In one order. */
  readonly paymasterIds: readonly string[];
};

export class SharedPolicyView {
  @ApiProperty({ format: 'uuid' }) readonly policyId!: string;
  @ApiProperty({ example: 'Budget of all chains' }) readonly name!: string;
  @ApiProperty({ enum: SHARED_POLICY_TYPES }) readonly policyType!: string;
  @ApiProperty({ description: 'False while it is paused.' }) readonly active!: boolean;
  @ApiProperty(POLICY_VERSION) readonly version!: number;
  @ApiProperty(SHARED_POLICY_DATA) readonly policyData!: SharedPolicyContent['policyData'];
  @ApiProperty({ type: [String], format: 'uuid' }) readonly paymasterIds!: readonly string[];
  @ApiProperty({ format: 'date-time' }) readonly createdAt!: string;
}

/** A paymaster of the account, as shared policies name it. */
export class SharingPaymasterView {
  @ApiProperty({ format: 'uuid' }) readonly paymasterId!: string;
  @ApiProperty({ example: 'My dapp' }) readonly name!: string;
  @ApiProperty(CHAIN_ID) readonly chainId!: number;
  @ApiProperty({ type: [String], format: 'uuid', description: 'The policies that it shares, paused ones too.' })
  readonly policyIds!: readonly string[];
}

export function toSharedPolicyView(policy: StoredSharedPolicy): SharedPolicyView {
  return {
    policyId: policy.id,
    ...sharedFields(policy),
    version: policy.version,
    createdAt: policy.createdAt.toISOString(),
  };
}

/** A change in the audit log of each paymaster that shares the policy, which has the policy before it, after it, or both. */
export function toSharedPolicyChange(
  policyId: string,
  before: StoredSharedPolicy | null,
  after: StoredSharedPolicy | null,
): RecordedChange {
  return {
    subject: 'policy',
    subjectId: policyId,
    before: before && sharedFields(before),
    after: after && sharedFields(after),
  };
}

/** What the view and the audit log both show. */
function sharedFields({ name, policyType, active, policyData, paymasterIds }: StoredSharedPolicy) {
  return { name, policyType, active, policyData, paymasterIds };
}
