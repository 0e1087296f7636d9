import type { JsonSchema } from './rpc-method';

/**
 * Put this into the schema of an optional field in which null is refused: the client may have meant a maximum, and
 * without the field there would be no maximum.
 */
export const REFUSES_NULL = { 'x-refuses-null': true } as const;

/** Returns a value without the optional fields that are null. It copies what it changes. */
type WithoutNulls = (value: unknown) => unknown;

const unchanged: WithoutNulls = (value) => value;

/**
 * Compiles what makes null mean "absent" in every optional field of a schema, so that parsers only have to know
 * absence. Fields that the schema does not name, such as those in `webhookData`, keep their nulls.
 */
export function nullIsAbsent({ properties, required, else: otherwise }: JsonSchema): WithoutNulls {
  if (otherwise) return nullIsAbsent(otherwise as JsonSchema);
  const needed = new Set((required ?? []) as readonly string[]);
  const members = new Map(
    Object.entries((properties ?? {}) as Record<string, JsonSchema | false>).map(([name, schema]) => {
      const isOptional = !needed.has(name) && !(schema && schema['x-refuses-null']);
      return [name, { isOptional, clean: schema ? nullIsAbsent(schema) : unchanged }];
    }),
  );
  if (members.size === 0) return unchanged;
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const sent = value as Readonly<Record<string, unknown>>;
    let cleaned: Record<string, unknown> | undefined;
    for (const name in sent) {
      const member = sent[name];
      if (typeof member !== 'object') continue;
      const known = members.get(name);
      if (!known) continue;
      const kept = member === null && known.isOptional ? undefined : known.clean(member);
      if (kept === member) continue;
      cleaned ??= { ...sent };
      if (kept === undefined) delete cleaned[name];
      else cleaned[name] = kept;
    }
    return cleaned ?? value;
  };
}
