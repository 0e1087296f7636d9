import type { PriceReference } from '@paymaster/domain';
import { assetKey, outage, type PriceAnswer, type PriceRound, type PriceSource } from '../sources/price-source';
import { parseUsdE36 } from '../usd/usd-price';

/** A price source that says what it is told. It covers everything, and has no price for what it was not told. */
export class ScriptedPriceSource implements PriceSource {
  /** Assets of every call, in order. */
  readonly calls: Array<readonly PriceReference[]> = [];
  /** For whom each call was. */
  readonly rounds: PriceRound[] = [];
  /** When set, nothing is answered until it is taken away. */
  private hung: Promise<void> | undefined;
  private release: () => void = () => undefined;
  private readonly answers = new Map<string, PriceAnswer>();

  constructor(readonly name = 'scripted') {}

  /** A price as decimal text, current and vouched for; or any answer. */
  set(asset: PriceReference, answer: string | PriceAnswer): this {
    const price = typeof answer === 'string' ? priceOf(answer) : answer;
    this.answers.set(assetKey(asset), price);
    return this;
  }

  /** Stops answering, or goes on again. */
  hang(isHanging = true): void {
    this.release();
    this.hung = isHanging ? new Promise((resolve) => (this.release = resolve)) : undefined;
  }

  covers(): boolean {
    return true;
  }

  async read(assets: readonly PriceReference[], round: PriceRound = 'operator'): Promise<readonly PriceAnswer[]> {
    this.calls.push(assets);
    this.rounds.push(round);
    await this.hung;
    return assets.map((asset) => this.answers.get(assetKey(asset)) ?? outage(`${this.name}: nothing was set`));
  }
}

function priceOf(text: string): PriceAnswer {
  const usdE36 = parseUsdE36(text);
  if (usdE36 === undefined) throw new TypeError(`${text} is not a decimal number`);
  return { usdE36, ageSeconds: 0, validForSeconds: Infinity };
}
