import { SETTINGS, type SettingValues } from '@paymaster/domain';
import { Column } from 'typeorm';
import { safeIntegerColumn } from '../../platform/database/column-transformers';
import { ColumnOf } from '../../platform/database/field-columns';
import { EachField, FieldsOf } from '../../platform/fields/each-field';

/** The settings of a paymaster, as columns of its row: `allowEqualFees` is in `settings_allow_equal_fees`. */
@EachField(SETTINGS, (setting, name) => ColumnOf(setting, `settings_${name}`))
export class PaymasterSettingsColumns extends FieldsOf<SettingValues>() {
  @Column('bigint', { name: 'settings_brake_released_ms', transformer: safeIntegerColumn })
  brakeReleasedAtMs!: number;
}
