import type { Setting, SettingValues } from '@paymaster/domain';
import { Column, type ColumnOptions } from 'typeorm';
import { bigintColumn, safeIntegerColumn } from '../../platform/database/column-transformers';
import { EachSetting, FieldsOf } from '../../platform/fields/each-setting';

/** The settings of a paymaster, as columns of its row: `allowEqualFees` is in `settings_allow_equal_fees`. */
@EachSetting((setting, name) =>
  Column({ name: `settings_${name.replace(/[A-Z]/g, '_$&').toLowerCase()}`, ...columnOf(setting) }),
)
export class PaymasterSettingsColumns extends FieldsOf<SettingValues>() {
  @Column('bigint', { name: 'settings_brake_released_ms', transformer: safeIntegerColumn })
  brakeReleasedAtMs!: number;
}

function columnOf({ kind }: Setting): ColumnOptions {
  switch (kind) {
    case 'flag':
      return { type: 'boolean' };
    case 'choice':
      return { type: 'text' };
    case 'seconds':
    case 'count':
    case 'percent':
      return { type: 'integer' };
    case 'wei':
      return { type: 'numeric', precision: 78, scale: 0, nullable: true, transformer: bigintColumn };
    case 'address':
    case 'name':
    case 'icon':
      return { type: 'text', nullable: true };
    case 'origins':
    case 'servers':
    case 'ways':
      return { type: 'text', array: true };
  }
}
