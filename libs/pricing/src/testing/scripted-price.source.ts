import type { PriceReference } from '@paymaster/domain';
import { assetKey, outage, type PriceAnswer, type PriceRound, type PriceSource } from '../sources/price-source';
import { parseUsdE36 } from '../usd/usd-price';

/**
 * A price source whose answers the test sets. It covers every asset, and has no price for assets that the test did not
 * set.
 */
export class ScriptedPriceSource implements PriceSource {
  /** Assets of every call, in order. */
  readonly calls: Array<readonly PriceReference[]> = [];
  /** The round of each call: the operator's or the owners'. */
  readonly rounds: PriceRound[] = [];
  /** While it is set, no call is answered. */
  private hung: Promise<void> | undefined;
  private release: () => void = () => undefined;
  private readonly answers = new Map<string, PriceAnswer>();

  constructor(readonly name = 'scripted') {}

  /** Sets a price as decimal text, current and valid; or any other answer. */
  set(asset: PriceReference, answer: string | PriceAnswer): this {
    const price = typeof answer === 'string' ? priceOf(answer) : answer;
    this.answers.set(assetKey(asset), price);
    return this;
  }

  /** Stops answering, or starts again. */
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
