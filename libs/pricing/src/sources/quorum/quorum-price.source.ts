import type { PriceReference } from '@paymaster/domain';
import { outage, type PriceAnswer, type PriceSource } from '../price-source';
import { agree, type AgreementRules, type Opinion } from './agree';

export interface QuorumOptions extends AgreementRules {
  /** A source that takes longer does not count this time, so that one that hangs does not stop the others. */
  readonly timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 8_000;

/** Asks every source that an asset names, at the same time, and answers what they {@link agree} on. */
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

  async read(assets: readonly PriceReference[]): Promise<readonly PriceAnswer[]> {
    const bySource = await Promise.all(this.sources.map((source) => this.opinions(source, assets)));
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
  ): Promise<ReadonlyArray<Opinion | undefined>> {
    const covered = assets.filter((asset) => source.covers(asset));
    if (covered.length === 0) return [];
    const timeoutMs = this.options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const answers = [...(await withDeadline(source, covered, timeoutMs))];
    return assets.map((asset) =>
      source.covers(asset) ? { source: source.name, answer: answers.shift() as PriceAnswer } : undefined,
    );
  }
}

async function withDeadline(
  source: PriceSource,
  assets: readonly PriceReference[],
  timeoutMs: number,
): Promise<readonly PriceAnswer[]> {
  const noneBecause = (problem: string) => assets.map(() => outage(`${source.name}: ${problem}`));
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly PriceAnswer[]>((resolve) => {
    timer = setTimeout(() => resolve(noneBecause(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  const read = source.read(assets).catch(() => noneBecause('unexpected failure'));
  return Promise.race([read, late]).finally(() => clearTimeout(timer));
}
