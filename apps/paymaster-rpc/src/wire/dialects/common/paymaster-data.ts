import { toWirePaymasterData } from '@paymaster/chain';
import type { AccountGasLimits, Hex, PaymasterGasLimits } from '@paymaster/domain';
import type { JsonSchema } from '../../json-rpc/rpc-method';
import type { SponsorData } from '../../../decide/terms/sponsor-data';
import { address, bytes, hexQuantity } from './primitives';

/**
 * The fields of ERC-7677, the account's gas limits where the client is to take them, and on v0.9 `paymasterSignature`.
 * It has no other field, because clients copy all of its fields into their operation.
 */
export interface PaymasterDataResult {
  readonly paymasterAndData?: Hex;
  readonly paymaster?: Hex;
  readonly paymasterData?: Hex;
  readonly paymasterSignature?: Hex;
  readonly paymasterVerificationGasLimit?: Hex;
  readonly paymasterPostOpGasLimit?: Hex;
  readonly callGasLimit?: Hex;
  readonly verificationGasLimit?: Hex;
  readonly preVerificationGas?: Hex;
}

/** The paymaster's fields as ERC-7677 has them, and the account's limits that the client is to take. */
export function presentPaymasterData(
  data: SponsorData,
  accountLimits: Partial<AccountGasLimits> = {},
): PaymasterDataResult {
  const limits = Object.fromEntries(Object.entries(accountLimits).map(([name, limit]) => [name, hex(limit)]));
  if (data.entryPointVersion === '0.6') return { paymasterAndData: data.paymasterAndData, ...limits };
  return {
    paymaster: data.paymaster,
    ...toWirePaymasterData(data.entryPointVersion, data.paymasterData),
    ...paymasterLimits(data.paymasterGasLimits),
    ...limits,
  };
}

/**
 * Puts the paymaster's signature of v0.9 at the end of the data, as on earlier EntryPoints, for clients that do not
 * know the field `paymasterSignature`. The suffix of v0.9 is left out, because bundlers would compute another hash than
 * the EntryPoint for data with it. So `userOpHash` covers the signature. Answers for other EntryPoints stay as they
 * are.
 */
export function signatureInData({ paymasterSignature, ...answer }: PaymasterDataResult): PaymasterDataResult {
  if (!paymasterSignature || !answer.paymasterData) return answer;
  return { ...answer, paymasterData: `${answer.paymasterData}${paymasterSignature.slice(2)}` };
}

function paymasterLimits(
  limits: PaymasterGasLimits,
): Pick<PaymasterDataResult, 'paymasterVerificationGasLimit' | 'paymasterPostOpGasLimit'> {
  return {
    paymasterVerificationGasLimit: hex(limits.paymasterVerificationGasLimit),
    paymasterPostOpGasLimit: hex(limits.paymasterPostOpGasLimit),
  };
}

const hex = (value: bigint): Hex => `0x${value.toString(16)}`;

/** The paymaster's signature on EntryPoint v0.9, as every dialect shows it. */
export const paymasterSignature: JsonSchema = {
  ...bytes,
  description: 'EntryPoint v0.9: 65 bytes that userOpHash leaves out, so that the account may sign before it has them',
};

/** ERC-7677 answers: exactly the standard keys, because clients spread them over the operation. */
export const paymasterDataResultSchema: JsonSchema = {
  title: 'PaymasterData',
  type: 'object',
  additionalProperties: false,
  properties: {
    paymasterAndData: { ...bytes, description: 'EntryPoint v0.6' },
    paymaster: { ...address, description: 'EntryPoint v0.7 and later' },
    paymasterData: { ...bytes, description: 'EntryPoint v0.7 and later' },
    paymasterSignature,
    paymasterVerificationGasLimit: { ...hexQuantity, description: 'EntryPoint v0.7 and later' },
    paymasterPostOpGasLimit: { ...hexQuantity, description: 'EntryPoint v0.7 and later' },
    callGasLimit: { ...hexQuantity, description: 'only where the gateway measured it' },
    verificationGasLimit: { ...hexQuantity, description: 'only where the gateway measured it' },
    preVerificationGas: { ...hexQuantity, description: 'only where the gateway measured it' },
  },
};
