/** Shorter parts of a URL are words like `rpc` and `v2`, and no keys. */
const MIN_LENGTH = 6;

/** The parts of a URL that may be keys: an upstream that repeats its address in an error must not put them in our logs. */
export class UrlSecrets {
  readonly #parts: readonly string[];

  constructor({ username, password, pathname, searchParams, search }: URL) {
    const values = search.split('&').map((pair) => pair.slice(pair.indexOf('=') + 1));
    const raw = [username, password, ...pathname.split('/'), ...values];
    const all = [...raw, ...raw.map(decoded), ...searchParams.values()];
    const long = [...new Set(all)].filter((part) => part.length >= MIN_LENGTH);
    // The longest part first, so that a part that contains another is hidden as a whole.
    this.#parts = long.sort((a, b) => b.length - a.length);
  }

  /** The text without these parts. */
  hideIn(text: string): string {
    return this.#parts.reduce((rest, part) => rest.replaceAll(part, '[redacted]'), text);
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
