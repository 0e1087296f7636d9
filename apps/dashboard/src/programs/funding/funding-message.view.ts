import { ApiProperty } from '@nestjs/swagger';
import { fundingMessageText } from './funding-message.text';

const EXAMPLE = fundingMessageText({
  paymasterName: 'My dapp',
  paymasterId: '7ea9dae1-9a06-4c17-a4fb-7728177b76d3',
  accountName: 'My company',
  chainName: 'local',
  chainId: 31337,
  issuedAt: new Date('2026-01-31T12:00:00Z'),
  expiresAt: new Date('2026-01-31T12:15:00Z'),
  nonce: '6f1d0c8a2be94735a1c0d2e3f4a5b6c7',
});

/** Answer of operation 6a. */
export class FundingMessageView {
  @ApiProperty({ description: 'To be signed by the funding wallet with personal_sign (EIP-191).', example: EXAMPLE })
  readonly fundingMessage!: string;
  @ApiProperty({ format: 'uuid' }) readonly paymasterId!: string;
}
