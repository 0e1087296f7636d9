import { ApiProperty } from '@nestjs/swagger';
import { SETTINGS, toWritten, type StoredSettings, type WrittenOf } from '@paymaster/domain';
import { EachWritten, FieldsOf } from '../../platform/fields/each-field';
import { ShownField } from '../../platform/fields/field-on-rest';

/** The settings of a paymaster as REST shows them; wei as decimal digits. */
@EachWritten(SETTINGS, ShownField)
export class SettingsView extends FieldsOf<WrittenOf<typeof SETTINGS>>() {
  @ApiProperty({ type: String, nullable: true, format: 'date-time', description: 'The last time; null for never.' })
  readonly brakeReleasedAt!: string | null;
}

export function toSettingsView({ brakeReleasedAtMs, ...settings }: StoredSettings): SettingsView {
  const brakeReleasedAt = brakeReleasedAtMs === 0 ? null : new Date(brakeReleasedAtMs).toISOString();
  return { ...toWritten(SETTINGS, settings), brakeReleasedAt };
}
