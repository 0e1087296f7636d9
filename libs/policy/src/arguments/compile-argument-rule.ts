import { normalizeAddress, type Address, type ArgumentOperator, type ArgumentRule, type Hex } from '@paymaster/domain';
import { id } from 'ethers';
import { AbiSignatureError, parseMethodSignature } from './abi-signature';
import { wordReader, type WordReader } from './word-values';

const SELECTOR_CHARACTERS = 10;
const WORD_DIGITS = 64;

/** What a rule finds in a call it is about; text says why not, for the trace. */
export type ArgumentFinding = { readonly ok: true } | { readonly ok: false; readonly found: string };

/** An argument rule, ready for call data. */
export interface CompiledArgumentRule {
  readonly contract: Address;
  readonly selector: Hex;
  /** For traces: `argument 1 (uint256) of mint(address,uint256) LTE 10`. */
  readonly description: string;
  /** @param data of a call to this method of this contract; lower case */
  readonly check: (data: Hex) => ArgumentFinding;
}

/** A rule that nobody can enforce: what is wrong with it, as a sentence for its owner. */
export class ArgumentRuleError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ArgumentRuleError';
  }
}

const OK: ArgumentFinding = { ok: true };

/**
 * Compiles a rule on one static argument. Call data is read by position: a static argument has one place, whatever
 * follows it. A call that is too short for its arguments, or has bits outside the argument's type, is refused,
 * because contracts do not agree on what it means.
 *
 * @throws {ArgumentRuleError} when the method, the index, the operator or a value makes no sense
 */
export function compileArgumentRule(rule: ArgumentRule): CompiledArgumentRule {
  const signature = parse(rule.method);
  const argument = signature.arguments[rule.index];
  if (!argument) throw new ArgumentRuleError(`${rule.method} has no argument ${rule.index}; the first is 0`);
  if (!argument.word) {
    throw new ArgumentRuleError(
      `argument ${rule.index} of ${rule.method} is a ${argument.type}, only static values can be compared`,
    );
  }
  const reader = wordReader(argument.word);
  const allows = compileComparison({ operator: rule.operator, values: rule.values, type: argument.type, reader });
  const start = SELECTOR_CHARACTERS + argument.headWord * WORD_DIGITS;
  const leastLength = SELECTOR_CHARACTERS + signature.headWords * WORD_DIGITS;
  return {
    contract: normalizeAddress(rule.contract),
    selector: id(rule.method).slice(0, SELECTOR_CHARACTERS) as Hex,
    description: `argument ${rule.index} (${argument.type}) of ${rule.method} ${rule.operator} ${rule.values.join(', ')}`,
    check: (data) => {
      if (data.length < leastLength) return { ok: false, found: 'call data that is too short' };
      const word = data.slice(start, start + WORD_DIGITS);
      if (!reader.isCanonical(word)) return { ok: false, found: `bits outside a ${argument.type}: 0x${word}` };
      return allows(word) ? OK : { ok: false, found: reader.toNumber?.(word).toString() ?? `0x${word}` };
    },
  };
}

function parse(method: string) {
  try {
    return parseMethodSignature(method);
  } catch (error) {
    throw error instanceof AbiSignatureError ? new ArgumentRuleError(error.message) : error;
  }
}

const ORDERS: Readonly<Partial<Record<ArgumentOperator, (argument: bigint, value: bigint) => boolean>>> = {
  LT: (argument, value) => argument < value,
  LTE: (argument, value) => argument <= value,
  GT: (argument, value) => argument > value,
  GTE: (argument, value) => argument >= value,
};

function compileComparison(input: {
  operator: ArgumentOperator;
  values: readonly string[];
  type: string;
  reader: WordReader;
}): (word: string) => boolean {
  const { operator, values, type, reader } = input;
  const words = values.map((value) => {
    const word = reader.encode(value);
    if (word === undefined) throw new ArgumentRuleError(`${value} is no value of type ${type}`);
    return word;
  });
  const takesMany = operator === 'IN' || operator === 'NOT_IN';
  const [only] = words;
  if (only === undefined) throw new ArgumentRuleError(`${operator} needs a value`);
  if (!takesMany && words.length > 1) throw new ArgumentRuleError(`${operator} takes one value, not ${words.length}`);
  const order = ORDERS[operator];
  if (order) {
    const { toNumber } = reader;
    if (!toNumber) throw new ArgumentRuleError(`${operator} compares numbers, and ${type} is none`);
    const value = toNumber(only);
    return (word) => order(toNumber(word), value);
  }
  const listed = new Set(words);
  const wanted = operator === 'EQ' || operator === 'IN';
  return (word) => listed.has(word) === wanted;
}
