import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsString, Matches, MaxLength } from 'class-validator';
import { Name } from '../../platform/fields/text-rules';

/** A device names a key in at most 1,023 bytes. */
const MAX_ID_LENGTH = 1_364;
const MAX_CLIENT_DATA_LENGTH = 8_192;
const MAX_ATTESTATION_LENGTH = 16_384;
const MAX_SIGNATURE_LENGTH = 4_096;

/** Bytes, as a browser's answer has them in JSON. */
const Bytes = (maxLength: number, description: string): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ type: String, pattern: '^[A-Za-z0-9_-]+$', maxLength, description, example: 'ZGV2aWNl' }),
    IsString(),
    MaxLength(maxLength),
    Matches(/^[A-Za-z0-9_-]+$/, { message: '$property must be bytes in base64url' }),
  );

/** What a browser answers to `navigator.credentials.create`. */
export class NewCredentialDto {
  @Bytes(MAX_ID_LENGTH, 'How the device names the new key.') credentialId!: string;
  @Bytes(MAX_CLIENT_DATA_LENGTH, 'What the browser says: challenge and page.') clientDataJSON!: string;
  @Bytes(MAX_ATTESTATION_LENGTH, 'The new public key, as the device says it, without certificates.')
  attestationObject!: string;
}

export class CreatePasskeyDto extends NewCredentialDto {
  @Name({ example: 'Ada’s phone', description: 'What the person calls the device.' })
  name!: string;
}

export class UpdatePasskeyDto {
  @Name({ example: 'Ada’s phone' })
  name!: string;
}

/** What a browser answers to `navigator.credentials.get`. */
export class SignInWithPasskeyDto {
  @Bytes(MAX_ID_LENGTH, 'Which key the device used.') credentialId!: string;
  @Bytes(MAX_CLIENT_DATA_LENGTH, 'What the browser says: challenge and page.') clientDataJSON!: string;
  @Bytes(MAX_CLIENT_DATA_LENGTH, 'What the device says: host name, how it checked the person, its count.')
  authenticatorData!: string;
  @Bytes(MAX_SIGNATURE_LENGTH, 'The key’s signature of both.') signature!: string;
  @Bytes(128, 'Whose key it is, as the device kept it.') userHandle!: string;
}
