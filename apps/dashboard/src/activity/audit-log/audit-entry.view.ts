import { ApiProperty } from '@nestjs/swagger';
import { ID_OR_NULL, NEXT_CURSOR, TEXT_OR_NULL } from '../../platform/fields/api-fields';
import {
  AUDIT_ACTIONS,
  AUDIT_SUBJECTS,
  type AuditAction,
  type AuditEntry,
  type AuditSubject,
} from '../../platform/audit/audit-entry';

const STATE = { type: 'object', additionalProperties: true, nullable: true, example: { name: 'Two a day' } } as const;

/** A change of a paymaster or of the account. */
export class AuditEntryView {
  @ApiProperty({ ...ID_OR_NULL, description: 'Null for a change of the account.' })
  readonly paymasterId!: string | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 7,
    description: 'The paymaster’s version that the change made; null for a change of the account.',
  })
  readonly version!: number | null;
  @ApiProperty({ format: 'date-time' }) readonly at!: string;
  @ApiProperty({ format: 'uuid' }) readonly accountId!: string;
  @ApiProperty({
    ...TEXT_OR_NULL,
    example: '1f0c3a5e',
    description: 'The first 8 digits of the id of the auth token that was used; null without a token.',
  })
  readonly tokenIdPrefix!: string | null;
  @ApiProperty({
    ...ID_OR_NULL,
    description: 'The member who made the change; null with a token, and for the operator of this installation.',
  })
  readonly personId!: string | null;
  @ApiProperty({ enum: AUDIT_SUBJECTS }) readonly subject!: AuditSubject;
  @ApiProperty({
    example: '7ea9dae1-9a06-4c17-a4fb-7728177b76d3',
    description: 'Which of its kind: an id, or the address of a contract or token.',
  })
  readonly subjectId!: string;
  @ApiProperty({ enum: AUDIT_ACTIONS }) readonly action!: AuditAction;
  @ApiProperty({ ...STATE, description: 'Null before it was created.' }) readonly before!: object | null;
  @ApiProperty({ ...STATE, description: 'Null after it was deleted.' }) readonly after!: object | null;
}

export class AuditPageView {
  @ApiProperty({ type: [AuditEntryView] }) readonly entries!: readonly AuditEntryView[];
  @ApiProperty(NEXT_CURSOR) readonly nextCursor!: string | null;
}

export function toAuditEntryView(entry: AuditEntry): AuditEntryView {
  const { paymasterId, version, at, accountId, tokenIdPrefix, personId, subject, subjectId, action, before, after } =
    entry;
  const who = { accountId, tokenIdPrefix, personId };
  return { paymasterId, version, at: at.toISOString(), ...who, subject, subjectId, action, before, after };
}
