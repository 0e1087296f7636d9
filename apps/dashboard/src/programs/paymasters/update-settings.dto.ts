import type { SettingValues } from '@paymaster/domain';
import type { OnWire } from '@paymaster/messaging';
import { ExpectedValues } from '../../platform/http/expected-values';
import { EachSetting, FieldsOf } from '../../platform/fields/each-setting';
import { SentSetting } from './setting-on-rest';

/** Body of PATCH paymaster-settings; what is left out stays as it is. */
@EachSetting(SentSetting)
export class UpdateSettingsDto extends FieldsOf<Partial<OnWire<SettingValues>>>() {
  @ExpectedValues()
  expected?: object;
}
