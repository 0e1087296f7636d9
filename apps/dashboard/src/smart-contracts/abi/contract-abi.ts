import type { Hex } from '@paymaster/domain';
import { AbiError } from './abi-error';
import { parseAbi, type AbiFunction, type AbiLimits } from './parse-abi';
import type { SelectorOf } from './selector';

/** What is sponsored of a contract: the list as the owner sees it, and as the gateway checks it. */
export interface Whitelist {
  readonly whitelistedMethods: readonly string[];
  readonly selectors: readonly Hex[];
}

/** The state-changing functions of one ABI, and which of them a whitelist means. */
export class ContractAbi {
  private readonly changing: ReadonlyArray<AbiFunction & { readonly selector: Hex }>;
  /** What each name and each signature stands for. */
  private readonly selectors = new Map<string, Hex[]>();
  private readonly reading = new Set<string>();

  /** @throws {AbiError} when the text is not a usable ABI, or two functions share a selector */
  constructor(text: string, limits: AbiLimits, selectorOf: SelectorOf) {
    const functions = parseAbi(text, limits);
    for (const { name, signature } of functions.filter(({ changesState }) => !changesState)) {
      this.reading.add(name).add(signature);
    }
    this.changing = functions
      .filter(({ changesState }) => changesState)
      .map((each) => ({ ...each, selector: selectorOf(each.signature) }));
    this.refuseSharedSelectors();
    for (const { name, signature, selector } of this.changing) {
      for (const entry of [name, signature]) {
        const selectors = this.selectors.get(entry);
        if (selectors) selectors.push(selector);
        else this.selectors.set(entry, [selector]);
      }
    }
  }

  /** Names in ABI order, once each. */
  get methods(): string[] {
    return [...new Set(this.changing.map(({ name }) => name))];
  }

  /**
   * A name stands for every overload; a full signature for one function.
   *
   * @throws {AbiError} naming the entry that is no state-changing method of the ABI
   */
  whitelist(entries: readonly string[]): Whitelist {
    const whitelistedMethods = [...new Set(entries)];
    const selectors = whitelistedMethods.flatMap((entry) => this.selectorsOf(entry));
    return { whitelistedMethods, selectors: [...new Set(selectors)] };
  }

  private selectorsOf(entry: string): Hex[] {
    const found = this.selectors.get(entry);
    if (found) return found;
    const shown = JSON.stringify(entry.slice(0, 100));
    if (this.reading.has(entry))
      throw new AbiError(`whitelistedMethods: ${shown} only reads, so it cannot be sponsored`);
    throw new AbiError(`whitelistedMethods: ${shown} is not a method of the abi`);
  }

  /** Whitelisting one of them would sponsor the other. */
  private refuseSharedSelectors(): void {
    const owners = new Map<Hex, string>();
    for (const { selector, signature } of this.changing) {
      const owner = owners.get(selector) ?? signature;
      if (owner !== signature) throw new AbiError(`abi: ${owner} and ${signature} have the same selector ${selector}`);
      owners.set(selector, signature);
    }
  }
}
