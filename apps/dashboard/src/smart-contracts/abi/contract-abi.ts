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
  private readonly reading: readonly AbiFunction[];

  /** @throws {AbiError} when the text is not a usable ABI, or two functions share a selector */
  constructor(text: string, limits: AbiLimits, selectorOf: SelectorOf) {
    const functions = parseAbi(text, limits);
    this.reading = functions.filter(({ changesState }) => !changesState);
    this.changing = functions
      .filter(({ changesState }) => changesState)
      .map((each) => ({ ...each, selector: selectorOf(each.signature) }));
    this.refuseSharedSelectors();
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
    const means = ({ name, signature }: AbiFunction): boolean => name === entry || signature === entry;
    const found = this.changing.filter(means);
    if (found.length > 0) return found.map(({ selector }) => selector);
    const shown = JSON.stringify(entry.slice(0, 100));
    if (this.reading.some(means))
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
