import { ApiProperty } from '@nestjs/swagger';
import { KEY_KINDS, KEY_TERMS, type WrittenOf } from '@paymaster/domain';
import { EachWritten, FieldsOf } from '../../platform/fields/each-field';
import { ShownField } from '../../platform/fields/field-on-rest';
import type { KeyLimitTerms, NamedKey } from './named-key';
import { KeyLimitDto } from './named-key.dto';

const time = { type: String, format: 'date-time', nullable: true } as const;

/** A key without its text, which only its creation and its rotation show. */
@EachWritten(KEY_TERMS, ShownField)
export class NamedKeyView extends FieldsOf<WrittenOf<typeof KEY_TERMS>>() {
  @ApiProperty({ format: 'uuid' }) readonly keyId!: string;
  @ApiProperty({ example: 'web app' }) readonly name!: string;
  @ApiProperty({ enum: KEY_KINDS }) readonly kind!: string;
  @ApiProperty({ type: [KeyLimitDto], nullable: true }) readonly limits!: readonly KeyLimitTerms[] | null;
  @ApiProperty(time) readonly expiresAt!: string | null;
  @ApiProperty({ format: 'date-time' }) readonly createdAt!: string;
  @ApiProperty({ ...time, description: 'To the minute; null when it was never used.' })
  readonly lastUsedAt!: string | null;
  @ApiProperty({
    type: [String],
    example: ['2026-01-31T12:00:00.000Z'],
    description: 'When keys that a rotation replaced end, those that still work.',
  })
  readonly formerKeysValidUntil!: readonly string[];
}

const API_KEY = { example: 'aB3_xY9-q.0b0e7d2e-9a06-4c17-a4fb-7728177b76d3', description: 'No other answer shows it.' };

export class CreatedKeyView extends NamedKeyView {
  @ApiProperty(API_KEY) readonly apiKey!: string;
}

export class RotatedNamedKeyView extends NamedKeyView {
  @ApiProperty(API_KEY) readonly apiKey!: string;
  @ApiProperty({ format: 'date-time', description: 'From then on the key that was replaced is unknown.' })
  readonly previousKeyValidUntil!: string;
}

export function toNamedKeyView(key: NamedKey): NamedKeyView {
  return {
    ...{ keyId: key.id, ...toLoggedKey(key) },
    createdAt: key.createdAt.toISOString(),
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    formerKeysValidUntil: key.formerValidUntil.map((end) => end.toISOString()),
  };
}

/** What of a key can change, as the audit log has it: never its text. */
export function toLoggedKey({ name, kind, terms, expiresAt }: NamedKey) {
  return { name, kind, ...terms, expiresAt: expiresAt?.toISOString() ?? null };
}
