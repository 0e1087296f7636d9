import { ApiProperty } from '@nestjs/swagger';
import { CHAIN_ID, TEXT_OR_NULL } from '../../platform/fields/api-fields';

/** What became of a request at one paymaster. */
export const OUTCOMES = ['created', 'unchanged', 'refused'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** What one paymaster of several made of a request. */
export class OutcomeView {
  @ApiProperty({ format: 'uuid' }) readonly paymasterId!: string;
  @ApiProperty(CHAIN_ID) readonly chainId!: number;
  @ApiProperty({
    enum: OUTCOMES,
    example: 'created',
    description: '`unchanged`: it has exactly this already. `refused`: nothing was changed there.',
  })
  readonly outcome!: Outcome;
  @ApiProperty({ ...TEXT_OR_NULL, example: null, description: 'Why it was refused, as in any refusal.' })
  readonly reason!: string | null;
  @ApiProperty({ ...TEXT_OR_NULL, example: null, description: 'The same as a sentence.' })
  readonly message!: string | null;
  @ApiProperty({ type: [String], example: [], description: 'What the owner should know of a contract.' })
  readonly warnings!: readonly string[];
}
