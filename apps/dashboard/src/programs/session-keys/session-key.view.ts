import { ApiProperty } from '@nestjs/swagger';
import { SESSION_ALGORITHMS } from '@paymaster/domain';
import type { NamedSessionKey } from './session-key';

export class SessionKeyView {
  @ApiProperty({ format: 'uuid', description: '`kid` in the header of tokens.' }) readonly keyId!: string;
  @ApiProperty({ example: 'shop back end' }) readonly name!: string;
  @ApiProperty({ enum: SESSION_ALGORITHMS, description: '`alg` in the header of tokens.' }) readonly algorithm!: string;
  @ApiProperty({
    example: 'MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=',
    description: 'SubjectPublicKeyInfo, DER in base64.',
  })
  readonly spki!: string;
  @ApiProperty({ format: 'uuid', description: '`aud` of tokens.' }) readonly paymasterId!: string;
  @ApiProperty({ format: 'date-time' }) readonly createdAt!: string;
}

export function toSessionKeyView({ createdAt, ...key }: NamedSessionKey): SessionKeyView {
  return { ...key, createdAt: createdAt.toISOString() };
}
