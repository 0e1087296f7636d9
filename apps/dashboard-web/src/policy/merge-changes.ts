/** What two people made of the same thing, as the second of them has to see it. */
export interface Merged<T> {
  /** With the changes of both; where both changed the same field, mine. */
  readonly merged: T;
  /** The fields that both changed, each to something else. */
  readonly both: readonly string[];
}

/** Puts together field by field what somebody else stored and what I made, both from the same start. */
export function mergeChanges<T extends object>(start: T, stored: T, mine: T): Merged<T> {
  const fields = [...new Set([start, stored, mine].flatMap((each) => Object.keys(each)))] as (keyof T & string)[];
  const isSame = (one: T, other: T, field: keyof T) => JSON.stringify(one[field]) === JSON.stringify(other[field]);
  const both = fields.filter(
    (field) => !isSame(start, stored, field) && !isSame(start, mine, field) && !isSame(stored, mine, field),
  );
  const merged = fields.flatMap((field) => {
    const from = isSame(start, mine, field) ? stored : mine;
    return from[field] === undefined ? [] : [[field, from[field]] as const];
  });
  return { merged: Object.fromEntries(merged) as T, both };
}

/** The fields of `after` that differ from `before`, and as `expected` what their sender had read of them. */
export function changesToSend<T extends object>(before: T, after: T, read: object) {
  const fields = Object.keys(after) as (keyof T & string)[];
  const changed = fields.filter((field) => JSON.stringify(after[field]) !== JSON.stringify(before[field]));
  const only = <Of extends object>(of: Of) =>
    Object.fromEntries(Object.entries(of).filter(([field]) => changed.includes(field as keyof T & string)));
  return { ...(only(after) as Partial<T>), expected: only(read) };
}
