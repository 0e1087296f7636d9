import { ApiProperty } from '@nestjs/swagger';
import { TIME_OR_NULL } from '../../platform/fields/api-fields';
import type { Passkey } from './passkeys.repository';

const CHALLENGE = {
  pattern: '^[A-Za-z0-9_-]+$',
  example: 'MDA2OTdmMWE4MA',
  description: 'For one answer of a device, in the next ten minutes; bytes in base64url.',
} as const;
const RELYING_PARTY = {
  example: 'paymaster.example.org',
  description: 'The host name of the page, for which devices keep keys.',
} as const;

/** What a browser needs for `navigator.credentials.get`. */
export class PasskeyChallengeView {
  @ApiProperty(CHALLENGE) readonly challenge!: string;
  @ApiProperty(RELYING_PARTY) readonly rpId!: string;
}

/** What a browser needs for `navigator.credentials.create`. */
export class NewPasskeyView extends PasskeyChallengeView {
  @ApiProperty({ format: 'uuid', description: 'The device keeps its text (UTF-8) as the user handle.' })
  readonly personId!: string;
  @ApiProperty({ example: 'Ada' }) readonly name!: string;
  @ApiProperty({ type: [Number], example: [-8, -7, -257], description: 'COSE numbers, the best first.' })
  readonly algorithms!: readonly number[];
  @ApiProperty({
    type: [String],
    example: ['ZGV2aWNl'],
    description: 'How devices name the keys that the person has already, so that none gets a second one.',
  })
  readonly credentialIds!: readonly string[];
}

export class PasskeyView {
  @ApiProperty({ format: 'uuid' }) readonly passkeyId!: string;
  @ApiProperty({ example: 'Ada’s phone' }) readonly name!: string;
  @ApiProperty({ format: 'date-time' }) readonly createdAt!: string;
  @ApiProperty({ ...TIME_OR_NULL, description: 'Null before its first sign-in.' }) readonly lastUsedAt!: string | null;
}

export function toPasskeyView({ id, name, createdAt, lastUsedAt }: Passkey): PasskeyView {
  return { passkeyId: id, name, createdAt: createdAt.toISOString(), lastUsedAt: lastUsedAt?.toISOString() ?? null };
}
