import type { Field, FieldTable } from '@paymaster/domain';
import { Column, type ColumnOptions } from 'typeorm';
import { bigintColumn } from './column-transformers';

/** `exposureCapWei` is in the column `exposure_cap_wei`. */
const columnName = (name: string): string => name.replace(/[A-Z]/g, '_$&').toLowerCase();

/** The column of a declared field. */
export function ColumnOf(field: Field, name: string): PropertyDecorator {
  return Column({ name: columnName(name), ...optionsOf(field) });
}

/** Arguments of `json_build_object` for all fields of a table, as they travel to gateways: wei as digits. */
export function jsonArgumentsOf(table: FieldTable, alias: string): string {
  return Object.entries(table)
    .map(([name, { kind }]) => {
      const column = `${alias}.${columnName(name)}`;
      return `'${name}', ${kind === 'wei' ? `CAST(${column} AS text)` : column}`;
    })
    .join(', ');
}

function optionsOf({ kind }: Field): ColumnOptions {
  switch (kind) {
    case 'flag':
      return { type: 'boolean' };
    case 'choice':
      return { type: 'text' };
    case 'seconds':
    case 'count':
    case 'percent':
    case 'premium':
      return { type: 'integer' };
    case 'wei':
      return { type: 'numeric', precision: 78, scale: 0, nullable: true, transformer: bigintColumn };
    case 'address':
    case 'name':
    case 'icon':
    case 'logo':
      return { type: 'text', nullable: true };
    case 'origins':
    case 'servers':
    case 'ways':
      return { type: 'text', array: true };
    case 'list':
      return { type: 'text', array: true, nullable: true };
  }
}
