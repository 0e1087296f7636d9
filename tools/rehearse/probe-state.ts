import type { Probe } from '../deployment/pod-spec';

/** A probe with the defaults that Kubernetes gives it; seconds. */
export interface ProbeTiming {
  readonly initialDelaySeconds: number;
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
  readonly failureThreshold: number;
  readonly successThreshold: number;
}

export function probeTiming(probe: Probe): ProbeTiming {
  const { initialDelaySeconds = 0, periodSeconds = 10, timeoutSeconds = 1 } = probe;
  const { failureThreshold = 3, successThreshold = 1 } = probe;
  return { initialDelaySeconds, periodSeconds, timeoutSeconds, failureThreshold, successThreshold };
}

/** What a probe has come to: it changes its mind after as many equal answers in a row as its thresholds say. */
export class ProbeState {
  private row = 0;
  private last: boolean | undefined;

  /** @param passing what counts before the first answers: readiness is not there yet, liveness is not doubted yet */
  constructor(
    private readonly timing: Pick<ProbeTiming, 'failureThreshold' | 'successThreshold'>,
    private passing: boolean,
  ) {}

  get isPassing(): boolean {
    return this.passing;
  }

  /** Takes one answer. @returns whether the probe now passes */
  record(succeeded: boolean): boolean {
    this.row = this.last === succeeded ? this.row + 1 : 1;
    this.last = succeeded;
    const { successThreshold, failureThreshold } = this.timing;
    if (this.row >= (succeeded ? successThreshold : failureThreshold)) this.passing = succeeded;
    return this.passing;
  }
}
