import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ADDRESS, CHAIN_ID, HASH, NEXT_CURSOR, TEXT_OR_NULL, WEI } from '../../platform/fields/api-fields';
import {
  BUNDLER_STATES,
  NO_CALLS_REASONS,
  OPERATION_STATES,
  type BundlerState,
  type Money,
  type NoCallsReason,
  type Operation,
  type OperationTarget,
  type OperationTraceLine,
  type UsageOfPart,
} from './operation';

class TargetView implements OperationTarget {
  @ApiProperty(ADDRESS) readonly to!: string;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'First four bytes of the call.', example: '0xa0712d68' })
  readonly selector!: string | null;
  @ApiProperty({ ...WEI, example: '0' }) readonly valueWei!: string;
}

/** A call that the account makes, with all that it hands over. */
export class CallView extends TargetView {
  @ApiProperty({ example: '0xa0712d68', description: 'The call data, whole.' }) readonly data!: string;
}

class TraceLineView implements OperationTraceLine {
  @ApiProperty({ example: 'whitelist' }) readonly rule!: string;
  @ApiProperty({ example: 'mint(uint256)' }) readonly input!: string;
  @ApiProperty({ enum: ['pass', 'refuse', 'skip'] }) readonly outcome!: string;
}

class BundlerStateView {
  @ApiProperty({
    enum: BUNDLER_STATES,
    example: 'waiting',
    description:
      'A bundler took it (sent); it is in no block yet (waiting); a bundler refused it; or the gateway gave it up (dropped).',
  })
  readonly state!: string;
  @ApiProperty({ example: 'alto', description: "The operator's name of the bundler." }) readonly name!: string;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'Why.', example: "It offers less than the chain's base fee." })
  readonly message!: string | null;
  @ApiProperty(HASH) readonly userOpHash!: string;
  @ApiProperty({ format: 'date-time' }) readonly at!: string;
}

/** An operation as owners see it; the times are ISO 8601 in UTC. */
export class OperationView {
  @ApiProperty({ format: 'uuid' }) readonly id!: string;
  @ApiProperty({ format: 'uuid' }) readonly paymasterId!: string;
  @ApiProperty({ enum: OPERATION_STATES, example: 'settled' }) readonly state!: string;
  @ApiProperty({ enum: ['sponsored', 'token'] }) readonly mode!: string;
  @ApiProperty({
    ...ADDRESS,
    nullable: true,
    description: 'The token that its user pays in; null where it is sponsored, or where that was not recorded.',
  })
  readonly token!: string | null;
  @ApiProperty(CHAIN_ID) readonly chainId!: number;
  @ApiProperty(ADDRESS) readonly sender!: string;
  @ApiProperty({ description: 'Decimal text.', example: '5' }) readonly nonce!: string;
  @ApiProperty({ example: '0.7' }) readonly entryPointVersion!: string;
  @ApiProperty({
    ...TEXT_OR_NULL,
    description: 'Of the last request for it.',
    example: 'c6f5a6a1-2f0e-4a53-9a3a-7a54b1b7c9d0',
  })
  readonly requestId!: string | null;
  @ApiProperty({
    type: 'integer',
    example: 1,
    description: 'Signatures given for it, as far as they were told of: four a minute at most.',
  })
  readonly grants!: number;
  @ApiProperty(TEXT_OR_NULL) readonly policyId!: string | null;
  @ApiProperty({ type: 'integer', nullable: true, example: 7 }) readonly policyVersion!: number | null;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'Why it was refused.' }) readonly reason!: string | null;
  @ApiProperty(TEXT_OR_NULL) readonly message!: string | null;
  @ApiProperty({ type: Object, nullable: true, description: 'Limits and use, decimal text.' })
  readonly details!: Readonly<Record<string, string>> | null;
  @ApiProperty({ type: [TargetView], nullable: true }) readonly targets!: readonly OperationTarget[] | null;
  @ApiProperty({ type: [TraceLineView], nullable: true }) readonly trace!: readonly OperationTraceLine[] | null;
  @ApiProperty({ ...ADDRESS, nullable: true }) readonly fundingWallet!: string | null;
  @ApiProperty({ ...WEI, nullable: true, description: 'The most it could cost.' })
  readonly expectedCostWei!: string | null;
  @ApiProperty({ type: 'integer', nullable: true, example: 1_769_861_100, description: 'Unix seconds.' })
  readonly validUntil!: number | null;
  @ApiProperty({ ...WEI, nullable: true, description: 'What the funding wallet paid.' })
  readonly actualCostWei!: string | null;
  @ApiProperty({ ...WEI, nullable: true, description: 'What the EntryPoint took.' }) readonly gasCostWei!:
    string | null;
  @ApiProperty({ type: Boolean, nullable: true, example: true }) readonly success!: boolean | null;
  @ApiProperty({ ...HASH, nullable: true }) readonly userOpHash!: string | null;
  @ApiProperty({ ...HASH, nullable: true }) readonly transactionHash!: string | null;
  @ApiProperty({ ...TEXT_OR_NULL, example: '21000000' }) readonly blockNumber!: string | null;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'expired or nonceUsed.' }) readonly voidReason!: string | null;
  @ApiProperty({
    type: BundlerStateView,
    nullable: true,
    description: 'What became of it at the bundlers before it landed; null where the gateway sent it to none.',
  })
  readonly bundler!: BundlerStateView | null;
  @ApiProperty({ format: 'date-time' }) readonly createdAt!: string;
  @ApiProperty({ format: 'date-time' }) readonly updatedAt!: string;
}

/** Why operations are refused. */
export class OperationReasonView {
  @ApiProperty({ example: 'SPENDING_LIMIT_REACHED' }) readonly reason!: string;
  @ApiProperty({ example: 'A limit of the policy is used up, or has no room for this operation.' })
  readonly when!: string;
}

/** What the user of an operation paid for it in a token. */
export class TokenPaymentView {
  @ApiProperty({ ...ADDRESS, description: 'The token.' }) readonly token!: string;
  @ApiProperty({
    pattern: '^[0-9]+$',
    example: '8928576',
    description: 'Base units of the token, decimal text; refunds are taken off.',
  })
  readonly amount!: string;
}

/** What an operation that landed called, read from its transaction. */
export class OperationCallsView {
  @ApiProperty({ type: [CallView], nullable: true, description: 'In order; null where they could not be read.' })
  readonly calls!: readonly CallView[] | null;
  @ApiProperty({ ...TEXT_OR_NULL, enum: [...NO_CALLS_REASONS, null], example: null, description: 'Why not.' })
  readonly reason!: NoCallsReason | null;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'The same as a sentence.' }) readonly message!: string | null;
  @ApiProperty({
    type: TokenPaymentView,
    nullable: true,
    description: 'What its user paid in a token; null where the user paid in none, or no node has the receipt.',
  })
  readonly tokenPayment!: TokenPaymentView | null;
}

export class OperationPageView {
  @ApiProperty({ type: [OperationView] }) readonly operations!: readonly OperationView[];
  @ApiProperty(NEXT_CURSOR) readonly nextCursor!: string | null;
}

const USD = { type: String, pattern: '^[0-9]+(\\.[0-9]+)?$' } as const;

/** What settled operations cost and brought in. */
export class MoneyView implements Money {
  @ApiProperty({ ...WEI, description: 'What the funding wallets paid for gas: gross.' }) readonly spentWei!: string;
  @ApiProperty({
    ...USD,
    example: '64.2',
    description: 'The same in USD, each operation at the price when it was granted; without those of `unpriced`.',
  })
  readonly spentUsd!: string;
  @ApiProperty({ type: 'integer', example: 0, description: 'Settled operations of which no price is recorded.' })
  readonly unpriced!: number;
  @ApiProperty({
    ...USD,
    example: '20.15',
    description: 'What users paid in tokens, in USD of the same time; without those of `unrecorded`.',
  })
  readonly receivedUsd!: string;
  @ApiProperty({
    type: 'integer',
    example: 0,
    description: 'Settled operations paid in a token, of which no payment or no price of the token is recorded.',
  })
  readonly unrecorded!: number;
  @ApiProperty({
    ...USD,
    pattern: '^-?[0-9]+(\\.[0-9]+)?$',
    example: '44.05',
    description: '`spentUsd` less `receivedUsd`; below zero where tokens brought more than the gas cost.',
  })
  readonly netUsd!: string;
}

/** What became of operations, and their money. */
class CountedView extends MoneyView {
  @ApiProperty({ type: 'integer', example: 12 }) readonly granted!: number;
  @ApiProperty({ type: 'integer', example: 3 }) readonly refused!: number;
  @ApiProperty({ type: 'integer', example: 10, description: 'Landed in a final block.' }) readonly settled!: number;
  @ApiProperty({ type: 'integer', example: 0, description: 'Of those settled, the ones whose calls failed.' })
  readonly reverted!: number;
  @ApiProperty({ type: 'integer', example: 2, description: 'Never landed.' }) readonly voided!: number;
}

/** The usage of one of the account's paymasters. */
export class PaymasterUsageView extends CountedView {
  @ApiProperty({ format: 'uuid' }) readonly paymasterId!: string;
}

export class UsageView extends CountedView {
  @ApiProperty({
    format: 'date-time',
    example: '2026-01-31T00:00:00.000Z',
    description: 'Start of the hour or day; with `by`, of the period or, with `eachDay`, of the day.',
  })
  readonly start!: string;
  @ApiPropertyOptional({
    example: `${ADDRESS.example}:0xa0712d68`,
    description:
      'With `by`: a contract, contract:selector, the id of a policy or a named key, a sender, a token, or `sponsored` or `token`. `refused` is 0 there.',
  })
  readonly key?: string;
  @ApiPropertyOptional({
    pattern: '^[0-9]+$',
    example: '154321',
    description: 'Without `by`: the gas that settled operations used, without those of which it is not recorded.',
  })
  readonly gasUsed?: string;
  @ApiPropertyOptional({
    ...WEI,
    description: 'Without `by`: what the EntryPoint took for `gasUsed`; divided by it, the gas price that was paid.',
  })
  readonly gasCostWei?: string;
  @ApiPropertyOptional({
    pattern: '^[0-9]+$',
    example: '8928576',
    description: 'With `by=token`: what users paid in it, refunds taken off; base units.',
  })
  readonly received?: string;
}

/** An operation that calls several contracts counts for each of them. */
export function presentUsageOfPart(part: UsageOfPart): UsageView {
  return { ...part, start: part.start.toISOString(), refused: 0 };
}

export function presentOperation(operation: Operation): OperationView {
  const { id, paymasterId, state, mode, token, chainId, sender, nonce, entryPointVersion, requestId, grants } =
    operation;
  const { policyId, policyVersion, reason, message, details, targets, trace } = operation;
  const { fundingWallet, expectedCostWei, validUntil, actualCostWei, gasCostWei, success } = operation;
  const { userOpHash, transactionHash, blockNumber, voidReason, bundler } = operation;
  return {
    ...{ id, paymasterId, state, mode, token, chainId, sender, nonce, entryPointVersion, requestId, grants },
    ...{ policyId, policyVersion, reason, message, details, targets, trace },
    ...{ fundingWallet, expectedCostWei, validUntil, actualCostWei, gasCostWei, success },
    ...{ userOpHash, transactionHash, blockNumber, voidReason },
    bundler: bundler && presentBundler(bundler),
    createdAt: operation.createdAt.toISOString(),
    updatedAt: operation.updatedAt.toISOString(),
  };
}

function presentBundler({ atMs, ...bundler }: BundlerState): BundlerStateView {
  return { ...bundler, at: new Date(atMs).toISOString() };
}
