import { SETTINGS, type WrittenOf } from '@paymaster/domain';
import { ExpectedValues } from '../../platform/http/expected-values';
import { EachWritten, FieldsOf } from '../../platform/fields/each-field';
import { SentField } from '../../platform/fields/field-on-rest';

/** Body of PATCH paymaster-settings: the settings that `SETTINGS` declares. What is left out stays as it is. */
@EachWritten(SETTINGS, SentField)
export class UpdateSettingsDto extends FieldsOf<Partial<WrittenOf<typeof SETTINGS>>>() {
  @ExpectedValues()
  expected?: object;
}
