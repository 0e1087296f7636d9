import { isDeepStrictEqual } from 'node:util';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { AuditSubject } from '../../platform/audit/audit-entry';
import type { RecordedChange } from '../policy-changes/policy-writer';
import { ADDRESS } from '../../platform/fields/api-fields';

/** One thing that an import adds, changes or removes. */
export class DifferenceView {
  @ApiPropertyOptional({
    example: ADDRESS.example,
    description: 'A policy’s id, a contract’s address; none for a policy that is not there yet.',
  })
  readonly id?: string;
  @ApiPropertyOptional({ type: Object, example: { whitelistedMethods: [] } }) readonly before?: object;
  @ApiPropertyOptional({ type: Object, example: { whitelistedMethods: ['mint'] } }) readonly after?: object;
}

/** What an import does to one part of the document. */
export class PartDifferenceView {
  @ApiProperty({ type: [DifferenceView] }) readonly added!: DifferenceView[];
  @ApiProperty({ type: [DifferenceView] }) readonly changed!: DifferenceView[];
  @ApiProperty({ type: [DifferenceView] }) readonly removed!: DifferenceView[];
}

/** What an import did, or would do. */
export class ImportView {
  @ApiProperty({ description: 'False for a dry run, which changed nothing.' }) readonly applied!: boolean;
  @ApiProperty({
    type: 'integer',
    example: 8,
    description: 'Of the paymaster now; what expectedVersion is compared with.',
  })
  readonly version!: number;
  @ApiProperty() readonly policies!: PartDifferenceView;
  @ApiProperty() readonly contracts!: PartDifferenceView;
  @ApiProperty({ description: 'Only the settings that change.' }) readonly settings!: PartDifferenceView;
}

/**
 * The changes of one kind, by what happens.
 *
 * @param shown what of a thing the caller may see
 */
export function toPartDifference(
  changes: readonly RecordedChange[],
  subject: AuditSubject,
  shown: (values: object) => object = (values) => values,
): PartDifferenceView {
  const part: PartDifferenceView = { added: [], changed: [], removed: [] };
  for (const { subjectId: id, before, after, ...change } of changes) {
    if (change.subject !== subject) continue;
    // The id of a policy that is not there yet would be another one the next time.
    if (before === null && after) part.added.push(subject === 'policy' ? { after: shown(after) } : { id, after });
    if (before && after === null) part.removed.push({ id, before: shown(before) });
    if (before && after && !isDeepStrictEqual(before, after))
      part.changed.push({ id, ...onlyWhatDiffers(shown(before), shown(after), subject) });
  }
  return part;
}

/** Settings are many, and few of them change. */
function onlyWhatDiffers(before: object, after: object, subject: AuditSubject): { before: object; after: object } {
  if (subject !== 'settings') return { before, after };
  const differs = (key: string): boolean => !isDeepStrictEqual(before[key as never], after[key as never]);
  const pick = (from: object): object => Object.fromEntries(Object.entries(from).filter(([key]) => differs(key)));
  return { before: pick(before), after: pick(after) };
}
