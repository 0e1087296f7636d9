import { eachSetting, type Setting, type SettingName } from '@paymaster/domain';

/** Declares a field of the class for each setting, with the decorators that its declaration asks for. */
export function EachSetting(decoratorOf: (setting: Setting, name: SettingName) => PropertyDecorator): ClassDecorator {
  return ({ prototype }) => void eachSetting((setting, name) => decoratorOf(setting, name)(prototype as object, name));
}

/** A base that tells TypeScript which fields {@link EachSetting} declares. */
export const FieldsOf = <Fields extends object>(): new () => Fields => Object as unknown as new () => Fields;
