import type { ValueTransformer } from 'typeorm';

/** NUMERIC(78,0) as bigint; wei never passes through a JavaScript number. */
export const bigintColumn: ValueTransformer = {
  to: (value: bigint | null | undefined) => value?.toString() ?? value,
  from: (value: string | null) => (value === null ? null : BigInt(value)),
};

/** BIGINT as number, for chain ids and versions, which stay below 2^53. */
export const safeIntegerColumn: ValueTransformer = {
  to: (value: number | undefined) => value,
  from: (value: string) => Number(value),
};

/** BIGINT as number or null. */
export const nullableIntegerColumn: ValueTransformer = {
  to: (value: number | null | undefined) => value,
  from: (value: string | null) => (value === null ? null : Number(value)),
};
