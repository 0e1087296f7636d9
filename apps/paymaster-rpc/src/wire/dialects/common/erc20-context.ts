import { InvalidParamsError, type Hex } from '@paymaster/domain';
import { REFUSES_NULL } from '../../json-rpc/null-is-absent';
import type { JsonSchema } from '../../json-rpc/rpc-method';
import { parseQuantity, type RawQuantity } from '../../user-operation/quantity';
import type { RawPermit } from './parse-permit';
import { address, quantity } from './primitives';

/** How Alchemy's clients say that the sender pays in a token, after the schema has checked it. */
export interface RawErc20Context {
  readonly tokenAddress: string;
  readonly maxTokenAmount?: RawQuantity;
  readonly permit?: string | null;
}

export const erc20ContextSchema: JsonSchema = {
  title: 'Erc20Context',
  type: ['object', 'null'],
  description: 'an object with tokenAddress',
  required: ['tokenAddress'],
  properties: {
    tokenAddress: address,
    maxTokenAmount: {
      ...quantity,
      ...REFUSES_NULL,
      description: 'a quantity: the most that the sender pays, in base units of the token',
    },
    permit: {
      type: ['string', 'null'],
      pattern: '^0x[0-9a-fA-F]{448}$',
      description: 'an EIP-2612 permit: ABI-encoded value, deadline and signature of 65 bytes',
    },
  },
};

/**
 * @param field where the context stands
 * @returns `maxTokenCharge` in base units; undefined where the client sets no maximum
 * @throws {InvalidParamsError} naming the field
 */
export function readErc20Context(
  { tokenAddress, maxTokenAmount, permit }: RawErc20Context,
  field: string,
): { token: string; permit: RawPermit | null; maxTokenCharge: bigint | undefined } {
  return {
    token: tokenAddress,
    permit: permit ? permitOf(permit, `${field}.permit`) : null,
    maxTokenCharge:
      maxTokenAmount === undefined
        ? undefined
        : parseQuantity(maxTokenAmount, { field: `${field}.maxTokenAmount`, bits: 256 }),
  };
}

/** Words of an ABI-encoded `(uint256 value, uint256 deadline, bytes signature)`. */
function permitOf(encoded: string, field: string): RawPermit {
  const word = (index: number): string => encoded.slice(2 + 64 * index, 66 + 64 * index);
  const padding = encoded.slice(2 + 64 * 4 + 130);
  if (BigInt(`0x${word(2)}`) !== 96n || BigInt(`0x${word(3)}`) !== 65n || /[^0]/.test(padding)) {
    throw new InvalidParamsError(field, `${field} must be the ABI encoding of value, deadline and a signature.`);
  }
  const signature: Hex = `0x${encoded.slice(2 + 64 * 4, 2 + 64 * 4 + 130)}`;
  return { value: `0x${word(0)}`, deadline: `0x${word(1)}`, signature };
}
