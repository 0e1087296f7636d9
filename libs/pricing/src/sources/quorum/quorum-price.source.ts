import type { PriceReference } from '@paymaster/domain';
import { inTime } from '@paymaster/turns';
import { outage, type PriceAnswer, type PriceRound, type PriceSource } from '../price-source';
import { agree, type AgreementRules, type Opinion } from './agree';

export interface QuorumOptions extends AgreementRules {
  /**
   * A source that takes longer does not count this time. It is the last resort: sources have shorter limits themselves.
   */
  readonly timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 10_000;

/** Asks every source that an asset names, at the same time, and returns the price on which they {@link agree}. */
export class QuorumPriceSource implements PriceSource {
  readonly name: string;

  constructor(
    private readonly sources: readonly PriceSource[],
    private readonly options: QuorumOptions,
  ) {
    this.name = `quorum of ${sources.map((source) => source.name).join(', ')}`;
  }

  covers(asset: PriceReference): boolean {
    return this.sources.some((source) => source.covers(asset));
  }

  async read(assets: readonly PriceReference[], round?: PriceRound): Promise<readonly PriceAnswer[]> {
    const bySource = await Promise.all(this.sources.map((source) => this.opinions(source, assets, round)));
    return assets.map((_, index) =>
      agree(
        bySource.flatMap((opinions) => opinions[index] ?? []),
        this.options,
      ),
    );
  }

  /** In the order of the assets; undefined where the source is not named. */
  private async opinions(
    source: PriceSource,
    assets: readonly PriceReference[],
    round: PriceRound | undefined,
  ): Promise<ReadonlyArray<Opinion | undefined>> {
    const covered = assets.filter((asset) => source.covers(asset));
    if (covered.length === 0) return [];
    const answers = [...(await this.inTime(source, covered, round))];
    return assets.map((asset) =>
      source.covers(asset) ? { source: source.name, answer: answers.shift() as PriceAnswer } : undefined,
    );
  }

  private inTime(
    source: PriceSource,
    assets: readonly PriceReference[],
    round: PriceRound | undefined,
  ): Promise<readonly PriceAnswer[]> {
    const noneBecause = (problem: string) => assets.map(() => outage(`${source.name}: ${problem}`));
    const read = source.read(assets, round).catch(() => noneBecause('unexpected failure'));
    const timeoutMs = this.options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    return inTime(read, timeoutMs, () => noneBecause(`no answer within ${timeoutMs} ms`));
  }
}
