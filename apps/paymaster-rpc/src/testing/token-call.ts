import { CANONICAL_ENTRY_POINTS, type Address, type Hex, type UserOperation } from '@paymaster/domain';
import { call, type RpcAnswer } from './rpc-call';

/** An operation with the paymaster's data in it. */
export interface PaidOperation {
  readonly operation: UserOperation;
  readonly paymasterAndData: Hex;
}

/** One entry of `feeQuotes` (interface document, "Fee quote"). */
export interface WireQuote {
  readonly symbol: string;
  readonly decimal: number;
  readonly tokenAddress: Address;
  readonly maxGasFee: number;
  readonly maxGasFeeUSD: number;
  readonly exchangeRate: number;
  readonly premiumPercentage: string;
  readonly validUntil: number;
  readonly logoUrl: string;
}

/** The mode object that clients send as `params[1]`; by default the sent limits are used. */
export const erc20Mode = (tokenInfo: object = {}, changes: object = {}): object => ({
  mode: 'ERC20',
  calculateGasLimits: false,
  tokenInfo,
  ...changes,
});

/** An operation as it travels, all its limits included. */
export function toWire(operation: UserOperation): Record<string, unknown> {
  const { entryPointVersion, ...fields } = operation;
  const wire = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? `0x${value.toString(16)}` : value,
  ]);
  return { ...Object.fromEntries(wire), ...(entryPointVersion === '0.6' && { paymasterAndData: '0x' }) };
}

export interface BiconomyCall {
  readonly url: string;
  readonly operation: UserOperation;
  /** The mode object. */
  readonly mode: object;
}

/** A call of Biconomy's dialect that names the EntryPoint, so that one form works for every version. */
export function biconomyCall(method: string, { url, operation, mode }: BiconomyCall): Promise<RpcAnswer> {
  return call(url, method, [toWire(operation), CANONICAL_ENTRY_POINTS[operation.entryPointVersion], mode]);
}

/** The amount that SDKs approve for a quote; base units. */
export const approvalOf = ({ maxGasFee, decimal }: WireQuote): bigint => BigInt(Math.ceil(maxGasFee * 10 ** decimal));

/** The quotes of an answer; empty if it has none. */
export const quotesOf = ({ json }: RpcAnswer): readonly WireQuote[] =>
  (json.result?.['feeQuotes'] ?? []) as readonly WireQuote[];

/** The operation with what the gateway answered in it, as an SDK sends it on. @throws when it answered an error */
export function paidOperation(operation: UserOperation, { json, text }: RpcAnswer): PaidOperation {
  const { result } = json;
  if (!result) throw new Error(text);
  return {
    operation: {
      ...operation,
      callGasLimit: BigInt(result['callGasLimit'] as number),
      verificationGasLimit: BigInt(result['verificationGasLimit'] as number),
      preVerificationGas: BigInt(result['preVerificationGas'] as string),
    },
    paymasterAndData: result['paymasterAndData'] as Hex,
  };
}
