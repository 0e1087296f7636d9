import recorded from './generated/open-rpc-examples.json';

/** A call and its answer, as `rpc.discover` shows them. */
export interface CallExample {
  readonly name: string;
  readonly params: readonly unknown[];
  readonly result: unknown;
}

/** A refusal as it is answered. */
export interface RefusalExample {
  readonly code: number;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * Recorded from the product itself by open-rpc-examples.spec.ts, which fails when they differ: the methods answered
 * the calls, and the error table rendered the refusals.
 */
const CALLS: Readonly<Record<string, readonly CallExample[]>> = recorded.calls;

/** One for each reason of the gateway. */
export const REFUSAL_EXAMPLES: Readonly<Record<string, RefusalExample>> = recorded.refusals;

/** The examples of a method. */
export function examplesOf(method: string): readonly CallExample[] {
  return CALLS[method] ?? [];
}
