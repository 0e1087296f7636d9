import { toFunctionSelector, type Abi } from 'viem';
import type { Schemas } from '../api/queries';
import { methodsOf, type WriteMethod } from './read-abi';

/** The methods that a registered ABI has; none where it cannot be read. */
export function readMethods(abi: string): readonly WriteMethod[] {
  try {
    return methodsOf(JSON.parse(abi) as Abi);
  } catch {
    return [];
  }
}

/** The signatures that a whitelist stands for. A name in it stands for all its overloads, any form of a signature and a selector for one function. */
export function pickedOf(
  { whitelistedMethods }: Pick<Schemas['SmartContractView'], 'whitelistedMethods'>,
  methods: readonly WriteMethod[],
): ReadonlySet<string> {
  const listed = new Set(whitelistedMethods.flatMap((entry) => [entry, selectorOf(entry)]));
  return new Set(
    methods
      .filter(({ name, signature }) => listed.has(name) || listed.has(toFunctionSelector(signature)))
      .map(({ signature }) => signature),
  );
}

/** Of a selector or a signature, however it is written; a name stays as it is. */
function selectorOf(entry: string): string {
  if (/^0x[0-9a-f]{8}$/i.test(entry)) return entry.toLowerCase();
  if (!entry.includes('(')) return entry;
  try {
    return toFunctionSelector(entry.replace(/\b(u?int)\b/g, '$1256'));
  } catch {
    return entry;
  }
}
