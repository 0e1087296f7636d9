import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, Matches, MaxLength } from 'class-validator';
import { IfSent } from '../../platform/fields/presence-rules';
import { Name } from '../../platform/fields/text-rules';

const MAX_MESSAGE_LENGTH = 4_096;
/** Signatures of wallets that are contracts can be long: several owners, a passkey. 8 KiB. */
const MAX_SIGNATURE_LENGTH = 2 + 2 * 8_192;
const MAX_CODE_LENGTH = 200;

/** Decorators are checked from the bottom up. */
export class SignInWithWalletDto {
  @ApiProperty({
    maxLength: MAX_MESSAGE_LENGTH,
    description: 'ERC-4361, with the address of the page, a nonce of GET session/nonce and a chain of GET chains.',
    example:
      'paymaster.example.org wants you to sign in with your Ethereum account:\n' +
      '0xA0Cf798816D4b9b9866b5330EEa46a18382f251e\n\n\nURI: https://paymaster.example.org\nVersion: 1\nChain ID: 1\n' +
      'Nonce: 00697f1a80…\nIssued At: 2026-01-31T12:00:00.000Z',
  })
  @MaxLength(MAX_MESSAGE_LENGTH)
  @IsString()
  message!: string;

  @ApiProperty({
    pattern: '^0x([0-9a-fA-F]{2})+$',
    maxLength: MAX_SIGNATURE_LENGTH,
    description: 'personal_sign of the message (EIP-191), or what the wallet’s contract takes (ERC-1271).',
    example: `0x${'5a'.repeat(65)}`,
  })
  @Matches(/^0x([0-9a-fA-F]{2})+$/, { message: '$property must be bytes in hex, beginning with 0x' })
  @MaxLength(MAX_SIGNATURE_LENGTH)
  @IsString()
  signature!: string;

  @ApiPropertyOptional({
    maxLength: MAX_CODE_LENGTH,
    description: 'The code of an invitation, which is accepted with it.',
  })
  @MaxLength(MAX_CODE_LENGTH)
  @IsString()
  @IfSent()
  invitation?: string;
}

export class SignInWithCodeDto {
  @ApiProperty({
    maxLength: MAX_CODE_LENGTH,
    example: 'pm_code_…',
    description: 'Made by npm run account -- sign-in-code.',
  })
  @MaxLength(MAX_CODE_LENGTH)
  @IsString()
  code!: string;
}

export class UpdatePersonDto {
  @Name({ example: 'Ada' })
  name!: string;
}
