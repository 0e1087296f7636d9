import type { TraceLineMessage } from '@paymaster/messaging';

/**
 * Rules of which the outbox keeps the position instead of the name. Add names at the end only: rows that were written
 * before have the positions of then. A name that is not here is kept as it is.
 */
const RULES: readonly string[] = [
  ...['policiesSet', 'callDataUnderstood', 'noDelegateCall', 'somethingToSponsor', 'noSelfCall', 'nativeTransfers'],
  ...['contractsRegistered', 'methodsWhitelisted', 'accountDeployed', 'noEip7702', 'delegateUnderstood'],
  ...['deploymentSponsored', 'factoryKnown', 'accountKnown', 'validatorKnown', 'callGasLimit', 'verificationGasLimit'],
  ...['preVerificationGas', 'maxPriorityFeePerGas <= maxFeePerGas', 'maxFeePerGas >= half the base fee', 'equalFees'],
  ...['maxPriorityFeePerGas', 'maxFeePerGas', 'operationCostCap'],
];
const POSITIONS: ReadonlyMap<string, number> = new Map(RULES.map((rule, position) => [rule, position]));
/** Outcomes other than `pass`. */
const MARKS = { skip: -1, refuse: -2 } as const;

/** Flat: of each line the position or the name of its rule, its input, and the mark of an outcome other than `pass`. */
type Lines = ReadonlyArray<string | number>;

interface Traced {
  readonly trace: readonly TraceLineMessage[];
}

/**
 * An event as the outbox keeps it. Its trace is most of an event, and here it takes a third of the room. The field
 * `trace` stays and is empty, so that settlement of the version before can publish the event without its trace.
 */
export function toStored<Event extends Traced>(event: Event): Event & { readonly lines: Lines } {
  const lines: Array<string | number> = [];
  for (const { rule, input, outcome } of event.trace) {
    lines.push(POSITIONS.get(rule) ?? rule, input);
    if (outcome !== 'pass') lines.push(MARKS[outcome]);
  }
  return { ...event, trace: [], lines };
}

/** The event with its trace, with its fields in their first order; an event without `lines` is returned as it is. */
export function fromStored(payload: object): object {
  const { lines, ...event } = payload as { readonly lines?: Lines };
  return lines === undefined ? payload : { ...event, trace: traceOf(lines) };
}

function traceOf(lines: Lines): TraceLineMessage[] {
  const trace: TraceLineMessage[] = [];
  for (let at = 0; at < lines.length; at += 2) {
    const [rule, input, mark] = lines.slice(at, at + 3) as [string | number, string, unknown];
    const outcome = mark === MARKS.skip ? 'skip' : mark === MARKS.refuse ? 'refuse' : 'pass';
    if (outcome !== 'pass') at++;
    trace.push({ rule: typeof rule === 'number' ? (RULES[rule] ?? String(rule)) : rule, input, outcome });
  }
  return trace;
}
