import { ApiProperty } from '@nestjs/swagger';
import type { SettingValues, StoredSettings } from '@paymaster/domain';
import { toWire, type OnWire } from '@paymaster/messaging';
import { EachSetting, FieldsOf } from '../../platform/fields/each-setting';
import { ShownSetting } from './setting-on-rest';

/** The settings of a paymaster as REST shows them; wei as decimal digits. */
@EachSetting(ShownSetting)
export class SettingsView extends FieldsOf<OnWire<SettingValues>>() {
  @ApiProperty({ type: String, nullable: true, format: 'date-time', description: 'The last time; null for never.' })
  readonly brakeReleasedAt!: string | null;
}

export function toSettingsView({ brakeReleasedAtMs, ...settings }: StoredSettings): SettingsView {
  const brakeReleasedAt = brakeReleasedAtMs === 0 ? null : new Date(brakeReleasedAtMs).toISOString();
  return { ...toWire(settings), brakeReleasedAt };
}
