import { ApiProperty } from '@nestjs/swagger';
import { FundedPaymasterView } from '../paymasters/paymaster.view';

/** A paymaster with its new key. */
export class RotatedKeyView extends FundedPaymasterView {
  @ApiProperty({ format: 'date-time', description: 'From then on the key that was replaced is unknown.' })
  readonly previousKeyValidUntil!: string;
}

/** A key that was replaced and still works. */
export class FormerKeyView {
  @ApiProperty({ format: 'date-time', description: 'From then on it is unknown.' })
  readonly validUntil!: string;
}

export class EndedKeysView {
  @ApiProperty({ type: 'integer', example: 1, description: 'Former keys that worked until now.' })
  readonly ended!: number;
}
