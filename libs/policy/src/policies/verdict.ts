import { SponsorshipRefusedError, type TraceLine } from '@paymaster/domain';
import type { PolicyReason } from './policy-reasons';

/** Why an operation is refused. */
export interface Refusal {
  readonly reason: PolicyReason;
  /** A sentence for the client; names contracts, methods and fields, never limits. */
  readonly message: string;
  /** Limits and amounts as decimal strings. */
  readonly details?: Readonly<Record<string, string>>;
  /** Every client sees the details, because it can do nothing without them. Default: who is allowed explanations. */
  readonly isPublic?: boolean;
}

/** Yes or no, and every rule that was looked at on the way, the refusing one last. */
export type Verdict =
  | { readonly allowed: true; readonly trace: readonly TraceLine[] }
  | ({ readonly allowed: false; readonly trace: readonly TraceLine[] } & Refusal);

/** What one rule found: `skip` means that the rule does not apply to this operation. */
export type Finding =
  | { readonly outcome: 'pass' | 'skip'; readonly input: string }
  | { readonly outcome: 'refuse'; readonly input: string; readonly refusal: Refusal };

/** A named yes-or-no question about an input. */
export interface Rule<Input> {
  readonly name: string;
  readonly check: (input: Input) => Finding;
}

export const pass = (input: string): Finding => ({ outcome: 'pass', input });
export const skip = (input: string): Finding => ({ outcome: 'skip', input });
export const refuse = (input: string, refusal: Refusal): Finding => ({ outcome: 'refuse', input, refusal });

/** Asks the rules in order and stops at the first refusal. */
export function applyRules<Input>(rules: readonly Rule<Input>[], input: Input): Verdict {
  const trace: TraceLine[] = [];
  for (const rule of rules) {
    const finding = rule.check(input);
    trace.push({ rule: rule.name, input: finding.input, outcome: finding.outcome });
    if (finding.outcome === 'refuse') return { allowed: false, ...finding.refusal, trace };
  }
  return { allowed: true, trace };
}

/**
 * Turns a refusal into the domain's error.
 *
 * @param earlierTrace lines of verdicts given before on the same operation, so that the error tells all of it
 * @returns the whole trace so far, when the verdict is a yes
 * @throws SponsorshipRefusedError when the verdict is a no
 */
export function traceIfAllowed(verdict: Verdict, earlierTrace: readonly TraceLine[] = []): readonly TraceLine[] {
  const trace = [...earlierTrace, ...verdict.trace];
  if (verdict.allowed) return trace;
  throw new SponsorshipRefusedError(verdict.reason, verdict.message, trace, { ...verdict.details }, verdict.isPublic);
}
