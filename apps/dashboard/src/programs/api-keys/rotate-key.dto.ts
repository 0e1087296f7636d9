import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, Max, Min } from 'class-validator';
import { IfSent } from '../../platform/fields/presence-rules';

export const DEFAULT_OVERLAP_SECONDS = 86_400;
/** 30 days: an app in a store reaches most of its users in that time. */
export const MAX_OVERLAP_SECONDS = 2_592_000;

/** Body of POST paymaster/rotate-key. Decorators are checked from the bottom up. */
export class RotateKeyDto {
  @ApiPropertyOptional({
    type: 'integer',
    default: DEFAULT_OVERLAP_SECONDS,
    minimum: 0,
    maximum: MAX_OVERLAP_SECONDS,
    description: 'How long the key that is replaced goes on working, in seconds. 0 ends it at once: for a leaked key.',
  })
  @Max(MAX_OVERLAP_SECONDS)
  @Min(0)
  @IsInt()
  @IfSent()
  readonly previousKeyValidSeconds?: number;
}
