import type { PriceReference } from '@paymaster/domain';
import { isPrice, outage, type PriceAnswer, type PriceRound, type PriceSource } from './price-source';

/**
 * Asks the next source for assets that the sources before it could not price. For sources of equal quality, such as two
 * APIs of one shape; sources that should check each other belong in a quorum.
 */
export class FallbackPriceSource implements PriceSource {
  readonly name: string;

  constructor(private readonly sources: readonly PriceSource[]) {
    this.name = sources.map((source) => source.name).join(', else ');
  }

  covers(asset: PriceReference): boolean {
    return this.sources.some((source) => source.covers(asset));
  }

  async read(assets: readonly PriceReference[], round?: PriceRound): Promise<readonly PriceAnswer[]> {
    const answers: PriceAnswer[] = assets.map(() => outage(`${this.name}: no source covers the asset`));
    for (const source of this.sources) {
      const open = assets.flatMap((asset, index) =>
        !isPrice(answers[index] as PriceAnswer) && source.covers(asset) ? [{ asset, index }] : [],
      );
      if (open.length === 0) continue;
      const read = await source.read(
        open.map(({ asset }) => asset),
        round,
      );
      open.forEach(({ index }, position) => (answers[index] = read[position] as PriceAnswer));
    }
    return answers;
  }
}
