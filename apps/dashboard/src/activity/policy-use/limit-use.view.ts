import { ApiProperty } from '@nestjs/swagger';
import type { LimitUse } from '@paymaster/messaging';

/** How much of a limit is used in its window of now. */
export class LimitUseView {
  @ApiProperty({ example: 'Two a day: limit per USER and DAY', description: 'The limit in words.' })
  readonly rule!: string;
  @ApiProperty({ description: 'Each account has a budget of its own; name one with `sender`.' })
  readonly perUser!: boolean;
  @ApiProperty({ enum: ['wei', 'microUsd', 'count'], description: 'Of `used` and `amount`.' })
  readonly unit!: LimitUse['unit'];
  @ApiProperty({ type: String, pattern: '^[0-9]+$', example: '2' }) readonly amount!: string;
  @ApiProperty({
    type: String,
    pattern: '^[0-9]+$',
    nullable: true,
    example: '1',
    description: 'Spent, and held by signatures that are still valid; null for a limit per user without `sender`.',
  })
  readonly used!: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Null: it never resets.' })
  readonly resetsAt!: string | null;
}

export function toLimitUseView({ resetsAtSeconds, ...use }: LimitUse): LimitUseView {
  return { ...use, resetsAt: resetsAtSeconds === null ? null : new Date(resetsAtSeconds * 1_000).toISOString() };
}
