import { ApiProperty } from '@nestjs/swagger';

/** Answer of operation 6a. */
export class FundingMessageView {
  @ApiProperty({ description: 'To be signed by the funding wallet with personal_sign (EIP-191).' })
  readonly fundingMessage!: string;

  @ApiProperty({ format: 'uuid' })
  readonly paymasterId!: string;
}
