import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { GatewayExplanation } from '@paymaster/messaging';
import { WEI } from '../../platform/fields/api-fields';
import { CallView } from '../operations/operation.view';

const DIGITS = { type: String, pattern: '^[0-9]+$' } as const;
const VALUES = { type: 'object', additionalProperties: { type: 'string' } } as const;

class BudgetView {
  @ApiProperty({ example: 'Two a day: limit per USER and DAY' }) readonly rule!: string;
  @ApiProperty({ enum: ['wei', 'microUsd', 'count'] }) readonly unit!: string;
  @ApiProperty({ ...DIGITS, example: '1' }) readonly needed!: string;
  @ApiProperty({ ...DIGITS, example: '1', description: 'By all operations, this one included.' })
  readonly used!: string;
  @ApiProperty({ ...DIGITS, example: '0', description: 'What of it this operation holds already.' })
  readonly held!: string;
  @ApiProperty({ ...DIGITS, example: '2' }) readonly limit!: string;
  @ApiPropertyOptional({ type: 'integer', example: 1_769_904_000, description: 'Unix seconds; absent: never.' })
  readonly resetsAtSeconds?: number;
}

class RuleView {
  @ApiProperty({ example: 'methodsWhitelisted' }) readonly rule!: string;
  @ApiProperty({ example: '0xa0712d68' }) readonly input!: string;
  @ApiProperty({ enum: ['pass', 'refuse', 'skip'] }) readonly outcome!: string;
}

/** What a gateway would answer to a request for sponsorship, and why. */
export class ExplanationView {
  @ApiProperty({ description: 'Whether it would be sponsored now.' }) readonly sponsored!: boolean;
  @ApiPropertyOptional({ example: 'SPENDING_LIMIT_REACHED', description: 'Why not.' }) readonly reason?: string;
  @ApiPropertyOptional({ example: 'The spending limit of this paymaster is used up for now' })
  readonly message?: string;
  @ApiPropertyOptional({ ...VALUES, example: { limit: '2', used: '2' } })
  readonly details?: Readonly<Record<string, unknown>>;
  @ApiProperty({ type: String, nullable: true, description: 'The policy that would sponsor it.' })
  readonly policyId!: string | null;
  @ApiProperty({ ...WEI, nullable: true, description: 'The most it can cost; null when refused before.' })
  readonly maxCostWei!: string | null;
  @ApiProperty({ ...VALUES, nullable: true, example: { callGasLimit: '70000' }, description: 'What would be signed.' })
  readonly gasLimits!: Readonly<Record<string, string>> | null;
  @ApiProperty({ type: [BudgetView], description: 'What it would be held in.' }) readonly budgets!: readonly object[];
  @ApiProperty({ type: [RuleView], description: 'Every rule that was looked at, in order.' })
  readonly trace!: readonly object[];
  @ApiProperty({
    type: [CallView],
    nullable: true,
    description: 'What the account calls, by which it was decided; null where its call data is not understood.',
  })
  readonly calls!: readonly CallView[] | null;
}

export function toExplanationView(explanation: GatewayExplanation): ExplanationView {
  // Gateways of the version before say no calls.
  return { ...explanation, calls: explanation.calls ?? null };
}
