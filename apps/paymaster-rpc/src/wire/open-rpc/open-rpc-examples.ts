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
 * open-rpc-examples.spec.ts records these examples from the product itself: the methods answer the calls, and the error
 * table renders the refusals. The spec fails when the recorded examples differ.
 */
const CALLS: Readonly<Record<string, readonly CallExample[]>> = recorded.calls;

/** An example of each reason of the gateway. */
export const REFUSAL_EXAMPLES: Readonly<Record<string, RefusalExample>> = recorded.refusals;

/** The examples of a method. */
export function examplesOf(method: string): readonly CallExample[] {
  return CALLS[method] ?? [];
}
