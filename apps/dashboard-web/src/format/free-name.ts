/** As many as a name may have. */
const LONGEST = 100;

/** A name like this one that nobody is likely to have: with four random digits and letters behind it. */
export function freeName(name: string): string {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  const end = ` ${random.toString(36).padStart(7, '0').slice(-4)}`;
  const start = name.slice(0, LONGEST - end.length);
  // Half of an emoji is no text.
  return `${start.replace(/[\uD800-\uDBFF]$/, '').trimEnd()}${end}`;
}
