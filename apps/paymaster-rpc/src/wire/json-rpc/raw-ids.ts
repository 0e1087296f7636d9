/**
 * The text of each request's `id`, for numbers that a double cannot hold (2^53 + 1) or prints differently (1.50). Call
 * it only for such numbers, and only for text that {@link JSON.parse} has accepted.
 *
 * @param text a JSON object, or an array of them
 * @returns one entry per request in order; undefined where there is none
 */
export function rawIds(text: string): ReadonlyArray<string | undefined> {
  const scanner = new Scanner(text);
  if (scanner.peek() !== '[') return [scanner.idOfObject()];
  const ids: Array<string | undefined> = [];
  scanner.eachItem(() => ids.push(scanner.peek() === '{' ? scanner.idOfObject() : scanner.skipped()));
  return ids;
}

const WHITE = /[ \t\n\r]*/y;
/** A string, a number or a word. */
const SCALAR = /"(?:[^"\\]|\\.)*"|[^\s,:[\]{}"]+/y;

class Scanner {
  private position = 0;

  constructor(private readonly text: string) {}

  peek(): string {
    this.match(WHITE);
    return this.text[this.position] ?? '';
  }

  /** The text of the last member named `id`, the one JSON.parse keeps. */
  idOfObject(): string | undefined {
    let id: string | undefined;
    this.position++;
    while (this.peek() !== '}') {
      const key = JSON.parse(this.match(SCALAR)) as string;
      this.peek();
      this.position++; // the colon
      this.peek();
      const start = this.position;
      this.skipValue();
      if (key === 'id') id = this.text.slice(start, this.position);
      if (this.peek() === ',') this.position++;
    }
    this.position++;
    return id;
  }

  eachItem(read: () => void): void {
    this.position++;
    while (this.peek() !== ']') {
      read();
      if (this.peek() === ',') this.position++;
    }
  }

  skipped(): undefined {
    this.skipValue();
    return undefined;
  }

  /** Moves behind the value here, counting brackets instead of recursing. */
  private skipValue(): void {
    let depth = 0;
    do {
      const next = this.peek();
      if (next === '{' || next === '[') depth++;
      if (next === '}' || next === ']') depth--;
      if ('{}[],:'.includes(next)) this.position++;
      else this.match(SCALAR);
    } while (depth > 0);
  }

  private match(pattern: RegExp): string {
    pattern.lastIndex = this.position;
    const found = pattern.exec(this.text)?.[0] ?? '';
    this.position += found.length;
    return found;
  }
}
