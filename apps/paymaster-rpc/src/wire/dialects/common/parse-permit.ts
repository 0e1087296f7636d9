import type { TokenPermit } from '@paymaster/chain';
import { InvalidParamsError, type Hex } from '@paymaster/domain';
import { parseQuantity, type RawQuantity } from '../../user-operation/quantity';

/** A permit after the schema has checked it: the signature in one piece, or as v, r and s. */
export interface RawPermit {
  readonly value: RawQuantity;
  readonly deadline: RawQuantity;
  readonly signature?: string | null;
  readonly v?: RawQuantity;
  readonly r?: string;
  readonly s?: string;
}

/** What ecrecover takes for the recovery ids 0 and 1. */
const V_OFFSET = 27n;

/**
 * An EIP-2612 permit of the sender for the paymaster, as the contract takes it.
 *
 * @throws {InvalidParamsError} naming the field
 */
export function parsePermit(raw: RawPermit, field: string): TokenPermit {
  return {
    valueBaseUnits: parseQuantity(raw.value, { field: `${field}.value`, bits: 256 }),
    deadlineSeconds: parseQuantity(raw.deadline, { field: `${field}.deadline`, bits: 256 }),
    signature: signatureOf(raw, field),
  };
}

function signatureOf({ signature, r, s, v }: RawPermit, field: string): Hex {
  if (signature) return joined(signature.slice(2, 130), BigInt(`0x${signature.slice(130)}`), `${field}.signature`);
  if (r === undefined || s === undefined || v === undefined) {
    throw new InvalidParamsError(`${field}.signature`, `${field}.signature is missing: send it, or v, r and s.`);
  }
  return joined(`${r.slice(2)}${s.slice(2)}`, parseQuantity(v, { field: `${field}.v`, bits: 256 }), `${field}.v`);
}

/** Tokens recover with 27 or 28; some wallets write 0 or 1. */
function joined(rs: string, v: bigint, field: string): Hex {
  const recovery = v < 2n ? v + V_OFFSET : v;
  if (recovery !== 27n && recovery !== 28n) {
    throw new InvalidParamsError(field, `${field} must be r, s and v of 65 bytes, with v 27 or 28.`);
  }
  return `0x${rs.toLowerCase()}${recovery.toString(16)}`;
}
