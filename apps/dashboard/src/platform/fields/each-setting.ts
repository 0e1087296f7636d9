import {
  eachPriceSource,
  eachSetting,
  type PriceSourceDeclaration,
  type PriceSourceName,
  type Setting,
  type SettingName,
} from '@paymaster/domain';

/** Declares a field of the class for each setting, with the decorators that its declaration asks for. */
export function EachSetting(decoratorOf: (setting: Setting, name: SettingName) => PropertyDecorator): ClassDecorator {
  return ({ prototype }) => void eachSetting((setting, name) => decoratorOf(setting, name)(prototype as object, name));
}

/** The same for each source of a price. */
export function EachPriceSource(
  decoratorOf: (source: PriceSourceDeclaration, name: PriceSourceName) => PropertyDecorator,
): ClassDecorator {
  return ({ prototype }) =>
    void eachPriceSource((source, name) => decoratorOf(source, name)(prototype as object, name));
}

/** A base that tells TypeScript which fields {@link EachSetting} or {@link EachPriceSource} declares. */
export const FieldsOf = <Fields extends object>(): new () => Fields => Object as unknown as new () => Fields;
