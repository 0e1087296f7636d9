/** A static type of one word, as far as a rule can compare it. */
export type WordType =
  | { readonly kind: 'uint' | 'int'; readonly bits: number }
  | { readonly kind: 'bytes'; readonly bytes: number }
  | { readonly kind: 'address' }
  | { readonly kind: 'bool' };

/** One argument of a method: what it is, and where in the call data its head starts. */
export interface MethodArgument {
  /** Canonical text, as it enters the selector. */
  readonly type: string;
  /** Undefined for dynamic types, arrays and tuples: they are not one word. */
  readonly word: WordType | undefined;
  /** Words before it. */
  readonly headWord: number;
}

export interface MethodSignature {
  readonly name: string;
  readonly arguments: readonly MethodArgument[];
  /** Words that the head takes; call data has at least these. */
  readonly headWords: number;
}

/** The signature is not one that this library reads; the message says where. */
export class AbiSignatureError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'AbiSignatureError';
  }
}

const NAME = /^[A-Za-z_$][A-Za-z0-9_$]*/;
const ELEMENTARY = /^(uint|int|bytes|address|bool|string|function)([0-9]*)/;
const ARRAY = /^\[([0-9]*)\]/;
const MAX_ARRAY_LENGTH = 10_000;
const MAX_DEPTH = 8;

interface ParsedType {
  readonly text: string;
  readonly word: WordType | undefined;
  /** Words in the head: 1 for dynamic types, which leave their offset there. */
  readonly words: number;
  readonly dynamic: boolean;
}

/**
 * Reads a canonical signature such as `mint(address,(uint256,bytes)[2])`: full type names, no spaces, no argument
 * names. Every ABI type is understood, so that the arguments behind it are found where they are.
 *
 * @throws {AbiSignatureError}
 */
export function parseMethodSignature(signature: string): MethodSignature {
  const name = NAME.exec(signature)?.[0];
  if (name === undefined) throw new AbiSignatureError(`${signature} does not start with a method's name`);
  const parser = new TypeParser(signature, name.length);
  const types = parser.tuple(0);
  parser.finish();
  let headWords = 0;
  const methodArguments = types.map((type): MethodArgument => {
    const headWord = headWords;
    headWords += type.words;
    return { type: type.text, word: type.word, headWord };
  });
  return { name, arguments: methodArguments, headWords };
}

class TypeParser {
  constructor(
    private readonly text: string,
    private position: number,
  ) {}

  tuple(depth: number): ParsedType[] {
    if (depth > MAX_DEPTH) throw new AbiSignatureError('tuples are nested too deeply');
    this.expect('(');
    const types: ParsedType[] = [];
    if (this.skip(')')) return types;
    do types.push(this.type(depth));
    while (this.skip(','));
    this.expect(')');
    return types;
  }

  finish(): void {
    if (this.position < this.text.length) throw this.unexpected();
  }

  private type(depth: number): ParsedType {
    let type = this.text[this.position] === '(' ? tupleOf(this.tuple(depth + 1)) : this.elementary();
    for (let found = this.match(ARRAY); found; found = this.match(ARRAY)) type = arrayOf(type, found[1] ?? '');
    return type;
  }

  private elementary(): ParsedType {
    const found = this.match(ELEMENTARY);
    if (!found) throw this.unexpected();
    const [text, kind = '', size = ''] = found;
    return elementaryOf(text, kind, size);
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    const found = pattern.exec(this.text.slice(this.position));
    if (found) this.position += found[0].length;
    return found;
  }

  private skip(character: string): boolean {
    if (this.text[this.position] !== character) return false;
    this.position += 1;
    return true;
  }

  private expect(character: string): void {
    if (!this.skip(character)) throw this.unexpected();
  }

  private unexpected(): AbiSignatureError {
    const rest = this.text.slice(this.position, this.position + 20);
    return new AbiSignatureError(`${this.text} can't be read at "${rest}": full type names, no spaces, no names`);
  }
}

function elementaryOf(text: string, kind: string, size: string): ParsedType {
  const one = (word: WordType | undefined): ParsedType => ({ text, word, words: 1, dynamic: false });
  const number = /^[1-9][0-9]*$/.test(size) ? Number(size) : undefined;
  if (kind === 'uint' || kind === 'int') {
    if (number !== undefined && number <= 256 && number % 8 === 0) return one({ kind, bits: number });
  } else if (kind === 'bytes' && size !== '') {
    if (number !== undefined && number <= 32) return one({ kind: 'bytes', bytes: number });
  } else if (size === '') {
    if (kind === 'bytes' || kind === 'string') return { text, word: undefined, words: 1, dynamic: true };
    if (kind === 'address' || kind === 'bool') return one({ kind });
    if (kind === 'function') return one(undefined);
  }
  throw new AbiSignatureError(`${text} is no type of the ABI in its full form (uint256 rather than uint)`);
}

function tupleOf(types: readonly ParsedType[]): ParsedType {
  const dynamic = types.some((type) => type.dynamic);
  return {
    text: `(${types.map(({ text }) => text).join(',')})`,
    word: undefined,
    words: dynamic ? 1 : types.reduce((sum, { words }) => sum + words, 0),
    dynamic,
  };
}

function arrayOf(item: ParsedType, length: string): ParsedType {
  const dynamic = item.dynamic || length === '';
  const count = Number(length);
  if (length !== '' && (count < 1 || count > MAX_ARRAY_LENGTH || !/^[1-9]/.test(length))) {
    throw new AbiSignatureError(`${item.text}[${length}] has a length out of bounds`);
  }
  return { text: `${item.text}[${length}]`, word: undefined, words: dynamic ? 1 : item.words * count, dynamic };
}
