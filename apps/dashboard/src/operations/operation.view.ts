import { ApiProperty } from '@nestjs/swagger';
import { OPERATION_STATES, type Operation, type OperationTarget, type OperationTraceLine } from './operation';

const nullableText = { type: String, nullable: true } as const;

class TargetView implements OperationTarget {
  @ApiProperty() readonly to!: string;
  @ApiProperty({ ...nullableText, description: 'First four bytes of the call.' }) readonly selector!: string | null;
  @ApiProperty() readonly valueWei!: string;
}

class TraceLineView implements OperationTraceLine {
  @ApiProperty() readonly rule!: string;
  @ApiProperty() readonly input!: string;
  @ApiProperty({ enum: ['pass', 'refuse', 'skip'] }) readonly outcome!: string;
}

/** An operation as owners see it; the times are ISO 8601 in UTC. */
export class OperationView {
  @ApiProperty({ format: 'uuid' }) readonly id!: string;
  @ApiProperty({ enum: OPERATION_STATES }) readonly state!: string;
  @ApiProperty({ enum: ['sponsored', 'token'] }) readonly mode!: string;
  @ApiProperty() readonly chainId!: number;
  @ApiProperty() readonly sender!: string;
  @ApiProperty({ description: 'Decimal text.' }) readonly nonce!: string;
  @ApiProperty() readonly entryPointVersion!: string;
  @ApiProperty({ ...nullableText, description: 'Of the last request for it.' }) readonly requestId!: string | null;
  @ApiProperty({ description: 'Signatures given for it, as far as they were told of: four a minute at most.' })
  readonly grants!: number;
  @ApiProperty(nullableText) readonly policyId!: string | null;
  @ApiProperty({ type: Number, nullable: true }) readonly policyVersion!: number | null;
  @ApiProperty({ ...nullableText, description: 'Why it was refused.' }) readonly reason!: string | null;
  @ApiProperty(nullableText) readonly message!: string | null;
  @ApiProperty({ type: Object, nullable: true, description: 'Limits and use, decimal text.' })
  readonly details!: Readonly<Record<string, string>> | null;
  @ApiProperty({ type: [TargetView], nullable: true }) readonly targets!: readonly OperationTarget[] | null;
  @ApiProperty({ type: [TraceLineView], nullable: true }) readonly trace!: readonly OperationTraceLine[] | null;
  @ApiProperty(nullableText) readonly fundingWallet!: string | null;
  @ApiProperty({ ...nullableText, description: 'The most it could cost; wei.' })
  readonly expectedCostWei!: string | null;
  @ApiProperty({ type: Number, nullable: true, description: 'Unix seconds.' }) readonly validUntil!: number | null;
  @ApiProperty({ ...nullableText, description: 'What the funding wallet paid; wei.' })
  readonly actualCostWei!: string | null;
  @ApiProperty({ ...nullableText, description: 'What the EntryPoint took; wei.' }) readonly gasCostWei!: string | null;
  @ApiProperty({ type: Boolean, nullable: true }) readonly success!: boolean | null;
  @ApiProperty(nullableText) readonly userOpHash!: string | null;
  @ApiProperty(nullableText) readonly transactionHash!: string | null;
  @ApiProperty(nullableText) readonly blockNumber!: string | null;
  @ApiProperty({ ...nullableText, description: 'expired or nonceUsed.' }) readonly voidReason!: string | null;
  @ApiProperty() readonly createdAt!: string;
  @ApiProperty() readonly updatedAt!: string;
}

export class OperationPageView {
  @ApiProperty({ type: [OperationView] }) readonly operations!: readonly OperationView[];
  @ApiProperty({ ...nullableText, description: 'Send it as `cursor` for the next page; null on the last one.' })
  readonly nextCursor!: string | null;
}

export class UsageView {
  @ApiProperty({ description: 'Start of the hour or day, UTC.' }) readonly start!: string;
  @ApiProperty() readonly granted!: number;
  @ApiProperty() readonly refused!: number;
  @ApiProperty({ description: 'Landed in a final block.' }) readonly settled!: number;
  @ApiProperty({ description: 'Of those settled, the ones whose calls failed.' }) readonly reverted!: number;
  @ApiProperty({ description: 'Never landed.' }) readonly voided!: number;
  @ApiProperty({ description: 'Wei.' }) readonly spentWei!: string;
}

export function presentOperation(operation: Operation): OperationView {
  const { id, state, mode, chainId, sender, nonce, entryPointVersion, requestId, grants } = operation;
  const { policyId, policyVersion, reason, message, details, targets, trace } = operation;
  const { fundingWallet, expectedCostWei, validUntil, actualCostWei, gasCostWei, success } = operation;
  const { userOpHash, transactionHash, blockNumber, voidReason } = operation;
  return {
    ...{ id, state, mode, chainId, sender, nonce, entryPointVersion, requestId, grants },
    ...{ policyId, policyVersion, reason, message, details, targets, trace },
    ...{ fundingWallet, expectedCostWei, validUntil, actualCostWei, gasCostWei, success },
    ...{ userOpHash, transactionHash, blockNumber, voidReason },
    createdAt: operation.createdAt.toISOString(),
    updatedAt: operation.updatedAt.toISOString(),
  };
}
