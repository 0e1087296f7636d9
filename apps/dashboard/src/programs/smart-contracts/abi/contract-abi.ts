import type { ContractError, Hex } from '@paymaster/domain';
import type { Pieces } from '@paymaster/nest-kit';
import { AbiError } from './abi-error';
import { canonicalMethod } from './canonical-method';
import { contractErrorsOf } from './contract-errors';
import { functionsOf, parseAbi, type AbiFunction, type AbiLimits } from './parse-abi';
import type { SelectorOf } from './selector';

/** What is sponsored of a contract: the list as the owner sees it, and as the gateway checks it. */
export interface Whitelist {
  readonly whitelistedMethods: readonly string[];
  readonly selectors: readonly Hex[];
}

/** The first four bytes of a call. */
const SELECTOR = /^0x[0-9a-fA-F]{8}$/;

/** What an ABI is read with. */
export interface AbiReading {
  readonly limits: AbiLimits;
  readonly selectorOf: SelectorOf;
  readonly pieces: Pieces;
}

/** The state-changing functions of one ABI, and which of them a whitelist means; and its custom errors. */
export class ContractAbi {
  errors: readonly ContractError[] = [];
  private readonly changing: Array<AbiFunction & { readonly selector: Hex }> = [];
  /** What each name, each signature and each selector stands for. */
  private readonly selectors = new Map<string, Hex[]>();
  private readonly reading = new Set<string>();

  private constructor() {}

  /**
   * Reads a text, in pieces: one of 2,000 functions takes 60 ms.
   *
   * @throws {AbiError} when the text is not a usable ABI, or two functions share a selector
   */
  static async read(text: string, { limits, selectorOf, pieces }: AbiReading): Promise<ContractAbi> {
    await pieces.pause();
    const abi = new ContractAbi();
    const items = parseAbi(text, limits);
    for (const [at, item] of items.entries()) {
      for (const each of functionsOf(item, `item ${at}`)) abi.add(each, selectorOf);
      await pieces.pause();
    }
    abi.refuseSharedSelectors();
    abi.errors = contractErrorsOf(items as readonly object[], selectorOf);
    return abi;
  }

  private add(each: AbiFunction, selectorOf: SelectorOf): void {
    const { name, signature } = each;
    const selector = selectorOf(signature);
    if (!each.changesState) {
      this.reading.add(name).add(signature).add(selector);
      return;
    }
    this.changing.push({ ...each, selector });
    for (const entry of [name, signature, selector]) {
      const selectors = this.selectors.get(entry);
      if (selectors) selectors.push(selector);
      else this.selectors.set(entry, [selector]);
    }
  }

  /** Names in ABI order, once each. */
  get methods(): string[] {
    return [...new Set(this.changing.map(({ name }) => name))];
  }

  /** The signatures of the state-changing functions, by selector. */
  get signatures(): ReadonlyMap<Hex, string> {
    return new Map(this.changing.map(({ selector, signature }) => [selector, signature]));
  }

  /**
   * A name stands for every overload; a signature, in any form that people write, or a selector for one function.
   *
   * @throws {AbiError} naming the entry that is no state-changing method of the ABI
   */
  whitelist(entries: readonly string[]): Whitelist {
    const whitelistedMethods = [...new Set(entries)];
    const selectors = whitelistedMethods.flatMap((entry) => this.selectorsOf(entry));
    return { whitelistedMethods, selectors: [...new Set(selectors)] };
  }

  private selectorsOf(entry: string): Hex[] {
    const meant = SELECTOR.test(entry) ? entry.toLowerCase() : (canonicalMethod(entry) ?? entry);
    const found = this.selectors.get(meant);
    if (found) return found;
    const shown = JSON.stringify(entry.slice(0, 100));
    if (this.reading.has(meant))
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
