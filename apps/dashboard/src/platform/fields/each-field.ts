import {
  eachField,
  eachPriceSource,
  writtenName,
  type Field,
  type FieldTable,
  type PriceSourceDeclaration,
  type PriceSourceName,
} from '@paymaster/domain';

/** Declares a field of the class for each field of the table, with the decorators that its declaration asks for. */
export function EachField(
  table: FieldTable,
  decoratorOf: (field: Field, name: string) => PropertyDecorator,
): ClassDecorator {
  return ({ prototype }) => void eachField(table, (field, name) => decoratorOf(field, name)(prototype as object, name));
}

/** The same, under the names that people use on REST. */
export function EachWritten(table: FieldTable, decoratorOf: (field: Field) => PropertyDecorator): ClassDecorator {
  return ({ prototype }) =>
    void eachField(table, (field, name) => decoratorOf(field)(prototype as object, writtenName(field, name)));
}

/** Declares a field of the class for each source of a price. */
export function EachPriceSource(
  decoratorOf: (source: PriceSourceDeclaration, name: PriceSourceName) => PropertyDecorator,
): ClassDecorator {
  return ({ prototype }) =>
    void eachPriceSource((source, name) => decoratorOf(source, name)(prototype as object, name));
}

/** A base that tells TypeScript which fields {@link EachField}, {@link EachWritten} or {@link EachPriceSource} declares. */
export const FieldsOf = <Fields extends object>(): new () => Fields => Object as unknown as new () => Fields;
