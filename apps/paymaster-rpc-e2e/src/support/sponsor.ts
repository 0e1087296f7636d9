import { numberToHex } from 'viem';
import type { Hex } from '@paymaster/domain';
import { call, resultOf, type RpcAnswer, type SponsoredResult } from './json-rpc';
import type { WireOperation } from './wire-operation';

export const BICONOMY_METHODS = ['pm_getFeeQuoteOrData', 'pm_sponsorUserOperation'] as const;
export type BiconomyMethod = (typeof BICONOMY_METHODS)[number];

/** The mode object SDKs send for a SimpleAccount. */
export const SPONSORED = {
  mode: 'SPONSORED',
  calculateGasLimits: true,
  sponsorshipInfo: { webhookData: {}, smartAccountInfo: { name: 'INFINITISM', version: '1.0.0' } },
} as const;

/** The same, asking to sign the limits that were sent: no estimation, so the answer is quick and always the same. */
export const AS_SENT = { ...SPONSORED, calculateGasLimits: false } as const;

/** Generous account limits for an operation that is not estimated. */
export const LIMITS = {
  callGasLimit: numberToHex(100_000),
  verificationGasLimit: numberToHex(400_000),
  preVerificationGas: numberToHex(60_000),
} as const;

export interface SponsorRequest {
  readonly url: string;
  readonly operation: unknown;
  readonly mode?: unknown;
  readonly method?: BiconomyMethod;
  /** Told as the second of three parameters, where the operation alone does not say its EntryPoint. */
  readonly entryPoint?: Hex;
}

/** Asks for sponsorship in Biconomy's dialect. */
export function askSponsor(request: SponsorRequest): Promise<RpcAnswer> {
  const { url, operation, mode = SPONSORED, method = 'pm_sponsorUserOperation', entryPoint } = request;
  return call({ url, method, params: entryPoint ? [operation, entryPoint, mode] : [operation, mode] });
}

/** Asks for sponsorship and puts the answer into the operation, as an SDK does before it signs. */
export async function sponsored(request: SponsorRequest & { operation: WireOperation }): Promise<WireOperation> {
  const result = resultOf<SponsoredResult>(await askSponsor(request));
  return withSponsorship(request.operation, result);
}

export function withSponsorship(operation: WireOperation, result: SponsoredResult): WireOperation {
  const limits = {
    preVerificationGas: numberToHex(BigInt(result.preVerificationGas)),
    verificationGasLimit: numberToHex(result.verificationGasLimit),
    callGasLimit: numberToHex(result.callGasLimit),
  };
  if (operation.initCode !== undefined) {
    return { ...operation, ...limits, paymasterAndData: result.paymasterAndData };
  }
  const { paymaster, paymasterData, paymasterSignature } = result;
  const { paymasterVerificationGasLimit, paymasterPostOpGasLimit } = result;
  const forPaymaster = { paymaster, paymasterData, paymasterVerificationGasLimit, paymasterPostOpGasLimit };
  return { ...operation, ...limits, ...forPaymaster, ...(paymasterSignature && { paymasterSignature }) };
}

/** `paymasterAndData` of an unpacked answer of v0.7 or later, as the EntryPoint packs it. */
export function packPaymasterAndData(fields: {
  readonly paymaster: Hex;
  readonly paymasterData: Hex;
  readonly paymasterSignature?: Hex | undefined;
  readonly paymasterVerificationGasLimit: Hex;
  readonly paymasterPostOpGasLimit: Hex;
}): Hex {
  const limit = (value: Hex) => numberToHex(BigInt(value), { size: 16 }).slice(2);
  const { paymaster, paymasterData, paymasterVerificationGasLimit, paymasterPostOpGasLimit } = fields;
  const { paymasterSignature = '0x' } = fields;
  const suffix = paymasterSignature === '0x' ? '' : '004122e325a297439656';
  const data = `${paymasterData.slice(2)}${paymasterSignature.slice(2)}${suffix}`;
  return `${paymaster}${limit(paymasterVerificationGasLimit)}${limit(paymasterPostOpGasLimit)}${data}` as Hex;
}
