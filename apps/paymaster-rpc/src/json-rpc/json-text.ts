/** A result that is JSON text already and is answered as it stands. */
export class JsonText {
  constructor(readonly text: string) {}
}

/**
 * JSON text in which a bigint is an integer literal with all its digits: `JSON.stringify` has none, and a number
 * loses digits above 2^53. For the few results that need it; the others are quicker without.
 */
export function jsonText(value: object): JsonText {
  return new JsonText(render(value) ?? 'null');
}

function render(value: unknown): string | undefined {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => render(item) ?? 'null').join(',')}]`;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const text = render(member);
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  return `{${members.join(',')}}`;
}
