import { ALIASES, MAX_DEPTH } from './canonical-type';

/** Longer than the signature of any method that is called. */
const MAX_LENGTH = 2_000;
const METHOD = /^(?:function\s+)?([A-Za-z_$][A-Za-z0-9_$]*)\s*\(/;
const TYPE = /^([a-z]+[0-9]*)((?:\[[0-9]*\])*)/;
/** What Solidity writes behind a type: `payable`, `calldata`, and the argument's name. */
const NAMES = /^(?:\s+[A-Za-z_$][A-Za-z0-9_$]*)*\s*$/;

/**
 * The signature of which the selector is the hash, of a method as people write it: `set(uint)`, `set(uint256 x)` and
 * `function set(uint256)` are `set(uint256)`. Types that do not exist stay as they are.
 *
 * @returns undefined for what is no signature
 */
export function canonicalMethod(entry: string): string | undefined {
  if (entry.length > MAX_LENGTH) return undefined;
  const text = entry.trim();
  const [head = '', name] = METHOD.exec(text) ?? [];
  if (name === undefined || !text.endsWith(')')) return undefined;
  const types = canonicalTypes(text.slice(head.length, -1), 1);
  return types === undefined ? undefined : `${name}(${types})`;
}

function canonicalTypes(parameters: string, depth: number): string | undefined {
  if (depth > MAX_DEPTH) return undefined;
  if (parameters.trim() === '') return '';
  const types = splitAtCommas(parameters)?.map((each) => canonicalType(each.trim(), depth));
  return types?.every((type) => type !== undefined) ? types.join(',') : undefined;
}

function canonicalType(parameter: string, depth: number): string | undefined {
  const text = parameter.replace(/^tuple\s*(?=\()/, '');
  if (!text.startsWith('(')) {
    const [all = '', base = '', suffixes = ''] = TYPE.exec(text) ?? [];
    return all !== '' && NAMES.test(text.slice(all.length)) ? `${ALIASES[base] ?? base}${suffixes}` : undefined;
  }
  const end = text.lastIndexOf(')');
  const inside = end > 0 ? canonicalTypes(text.slice(1, end), depth + 1) : undefined;
  const [, suffixes = '', names = ''] = /^((?:\[[0-9]*\])*)(.*)$/.exec(text.slice(end + 1)) ?? [];
  return inside !== undefined && NAMES.test(names) ? `(${inside})${suffixes}` : undefined;
}

/** The parts between the commas outside of brackets. */
function splitAtCommas(text: string): string[] | undefined {
  const parts: string[] = [];
  let [depth, start] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth++;
    else if (text[at] === ')' && --depth < 0) return undefined;
    else if (text[at] === ',' && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return depth === 0 ? [...parts, text.slice(start)] : undefined;
}
