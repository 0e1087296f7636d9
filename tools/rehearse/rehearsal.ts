import type { Balancer } from './balancer';
import type { Load, LoadRequest, Outcome } from './load';
import type { Platform } from './platform';
import type { Verdict } from './report';
import type { SponsoredRequest } from './sponsored-requests';
import type { World } from './world';

/** Everything a scene works with. */
export interface Rehearsal {
  readonly world: World;
  readonly platform: Platform;
  /** Sponsored operations, to the gateways. */
  readonly load: Load<SponsoredRequest>;
  /** REST, to the dashboards. */
  readonly restLoad: Load<LoadRequest>;
  readonly say: (line: string) => void;
  readonly judge: (verdict: Verdict) => void;
}

/** What became of the requests that were due in a span of time. */
export function outcomesBetween<R extends LoadRequest>(
  load: Load<R>,
  { fromMs, toMs = Infinity }: { fromMs: number; toMs?: number },
): ReadonlyArray<Outcome<R>> {
  return load.outcomes.filter(({ dueMs }) => dueMs >= fromMs && dueMs < toMs);
}

export const failuresOf = <R extends LoadRequest>(outcomes: ReadonlyArray<Outcome<R>>): ReadonlyArray<Outcome<R>> =>
  outcomes.filter(({ failure }) => failure !== undefined);

/** What failed, in words for the report: how often, when after the start, over which connection. */
export function failureLines(failures: ReadonlyArray<Outcome<LoadRequest>>, fromMs: number): readonly string[] {
  return failures.slice(0, 12).map(({ dueMs, endMs, failure, connection }) => {
    const at = ((dueMs - fromMs) / 1_000).toFixed(2).padStart(7);
    return `  at ${at} s, after ${(endMs - dueMs).toFixed(0)} ms, ${connection} connection: ${failure}`;
  });
}

/** How many connections a balancer could not place as it should, since a moment. */
export function placedSince(balancer: Balancer): () => { passedOn: number; dropped: number } {
  const before = balancer.counts;
  return () => {
    const { passedOn, dropped } = balancer.counts;
    return { passedOn: passedOn - before.passedOn, dropped: dropped - before.dropped };
  };
}
