/** One metric that an expression reads, with the labels that it is picked by. */
export interface Selector {
  readonly metric: string;
  readonly labels: readonly string[];
}

/** What an expression of PromQL names, as far as its names can be wrong. */
export interface PromqlNames {
  readonly selectors: readonly Selector[];
  /** Of `by (…)`, `on (…)` and `without (…)`. */
  readonly grouping: readonly string[];
}

const PAIRS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };
const OURS = /\b((?:paymaster|settlement|nodejs|process)_[a-z0-9_]+)(?:\{([^}]*)\})?/g;
const GROUPING = /\b(?:by|on|without|ignoring)\s*\(([^)]*)\)/g;
const TEXT = /"(?:[^"\\]|\\.)*"/g;

/** @throws {Error} when brackets or quotes do not close: Prometheus would refuse the whole file */
export function namesIn(expression: string): PromqlNames {
  assertBalanced(expression.replace(TEXT, ''));
  const selectors = [...expression.matchAll(OURS)].map(([, metric = '', matchers = '']) => ({
    metric,
    labels: [...matchers.replace(TEXT, '').matchAll(/([a-z_]+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
  }));
  const grouping = [...expression.matchAll(GROUPING)].flatMap(([, list = '']) =>
    list.split(',').map((each) => each.trim()),
  );
  return { selectors, grouping };
}

function assertBalanced(expression: string): void {
  const open: string[] = [];
  for (const character of expression) {
    if ('([{'.includes(character)) open.push(character);
    if (character in PAIRS && open.pop() !== PAIRS[character]) throw new Error(`${character} closes nothing`);
    if (character === '"') throw new Error('a text does not end');
  }
  if (open.length > 0) throw new Error(`${open.join('')} is not closed`);
}
