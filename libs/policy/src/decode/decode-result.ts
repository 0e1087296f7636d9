import type { Address, Hex } from '@paymaster/domain';

/** One call that the account makes when the operation is executed. */
export interface InnerCall {
  readonly to: Address;
  /** Native coin sent along, out of the account's own balance; wei. */
  readonly valueWei: bigint;
  /** Call data, lower case. */
  readonly data: Hex;
  /** The first four bytes of `data`, or undefined when it has fewer. */
  readonly selector: Hex | undefined;
}

/** Why call data is not understood. */
export const DECODE_FAILURES = [
  'NOT_HEX',
  'TOO_LARGE',
  'UNKNOWN_SHAPE',
  'NOT_CANONICAL',
  'LENGTHS_DIFFER',
  'TOO_MANY_CALLS',
  'UNSUPPORTED_MODE',
  'DELEGATE_CALL',
] as const;
export type DecodeFailureKind = (typeof DECODE_FAILURES)[number];

export type DecodeResult =
  | {
      readonly understood: true;
      /** The account function that carries the calls, `none` for empty call data. */
      readonly shape: string;
      readonly calls: readonly InnerCall[];
      /** How many bytes stand behind the arguments, where the account reads none of them; left out for none. Bytes. */
      readonly suffixBytes?: number;
    }
  | {
      readonly understood: false;
      readonly failure: DecodeFailureKind;
      /** Half a sentence on what was wrong, for the trace. */
      readonly detail: string;
    };

/** Thrown by the readers and caught once, by `decodeCalls`. */
export class DecodeFailure extends Error {
  constructor(
    readonly kind: DecodeFailureKind,
    detail: string,
  ) {
    super(detail);
  }
}

/** An operation may make at most this many calls; a larger batch does not fit a bundle anyway. */
export const MAX_INNER_CALLS = 128;

/** Bundles travel in transactions of at most 128 KiB; unit: bytes. */
export const MAX_CALL_DATA_BYTES = 65_536;

/** An inner call from its parts; `dataDigits` without `0x`. */
export function innerCall(to: Address, valueWei: bigint, dataDigits: string): InnerCall {
  return {
    to,
    valueWei,
    data: `0x${dataDigits}`,
    selector: dataDigits.length < 8 ? undefined : `0x${dataDigits.slice(0, 8)}`,
  };
}
