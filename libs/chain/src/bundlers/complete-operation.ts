import {
  byteLength,
  EIP7702_MARKER,
  isPacked,
  type Address,
  type Eip7702Authorization,
  type Hex,
  type PaymasterGasLimits,
  type UserOperation,
  type UserOperationV07,
} from '@paymaster/domain';
import type { BundlerKind } from '../chains/chain-config';
import { toQuantity, toWord } from '../json-rpc/parse';
import { encodePaymasterAndData } from '../paymaster-data/encode-paymaster-and-data';

/** The paymaster's part of an operation as a client sends it, of any paymaster. */
export interface SentPaymaster extends PaymasterGasLimits {
  readonly paymaster: Address;
  /** On v0.6 all that follows the address; later what follows the limits, without a signature of its own. */
  readonly paymasterData: Hex;
  /** EntryPoint v0.9: the signature that the hash leaves out. Absent: the operation has none. */
  readonly paymasterSignature?: Hex | undefined;
}

/** An operation with all its parts, as it is sent to a bundler. */
export interface CompleteOperation {
  readonly operation: UserOperation;
  /** Undefined: the account pays itself. */
  readonly paymaster: SentPaymaster | undefined;
}

/** Each form of the wire has its keys, so the type is open. */
export type WireOperation = Readonly<Record<string, Hex | Readonly<Record<string, Hex>>>>;

/** Behind data whose signature the hash leaves out: the first 8 bytes of `keccak256("PaymasterSignature")`. */
export const PAYMASTER_SIGNATURE_MAGIC = '0x22e325a297439656';

/**
 * An operation as ERC-7769 writes it: minimal hex, no null, no field of another EntryPoint version. Bundlers in use take
 * this form; voltaire refuses any other, alto and skandha some. rundler wants the magic of v0.9 behind the data, and the
 * marker of EIP-7702 as an address.
 */
export function toWireOperation({ operation, paymaster }: CompleteOperation, kind: BundlerKind): WireOperation {
  const common = {
    sender: operation.sender,
    nonce: toQuantity(operation.nonce),
    callData: operation.callData,
    callGasLimit: toQuantity(operation.callGasLimit),
    verificationGasLimit: toQuantity(operation.verificationGasLimit),
    preVerificationGas: toQuantity(operation.preVerificationGas),
    maxFeePerGas: toQuantity(operation.maxFeePerGas),
    maxPriorityFeePerGas: toQuantity(operation.maxPriorityFeePerGas),
    signature: operation.signature,
  };
  if (!isPacked(operation)) {
    return { ...common, initCode: operation.initCode, paymasterAndData: paymasterAndDataOf({ operation, paymaster }) };
  }
  return {
    ...common,
    ...(kind === 'rundler' ? longFactory(operation) : toWireFactory(operation)),
    ...(operation.eip7702Auth && { eip7702Auth: toWireAuthorization(operation.eip7702Auth) }),
    ...(paymaster && {
      paymaster: paymaster.paymaster,
      paymasterVerificationGasLimit: toQuantity(paymaster.paymasterVerificationGasLimit),
      paymasterPostOpGasLimit: toQuantity(paymaster.paymasterPostOpGasLimit),
      paymasterData:
        kind === 'rundler' && paymaster.paymasterSignature
          ? `${paymaster.paymasterData}${PAYMASTER_SIGNATURE_MAGIC.slice(2)}`
          : paymaster.paymasterData,
      ...(paymaster.paymasterSignature && { paymasterSignature: paymaster.paymasterSignature }),
    }),
  };
}

/** `paymasterAndData` as the EntryPoint gets it, before a signature of v0.9; `0x` without a paymaster. */
export function paymasterAndDataOf({ operation, paymaster }: CompleteOperation): Hex {
  if (!paymaster) return '0x';
  const { paymaster: address, paymasterData, paymasterVerificationGasLimit, paymasterPostOpGasLimit } = paymaster;
  // v0.8 has the layout of v0.9, and no suffix.
  const version = operation.entryPointVersion === '0.9' ? '0.8' : operation.entryPointVersion;
  const paymasterGasLimits = { paymasterVerificationGasLimit, paymasterPostOpGasLimit };
  return encodePaymasterAndData({ version, paymaster: address, paymasterGasLimits, paymasterData });
}

/** `paymasterAndData` as the EntryPoint gets it, with a signature of v0.9 at its end. */
export function signedPaymasterAndDataOf(complete: CompleteOperation): Hex {
  const data = paymasterAndDataOf(complete);
  const { paymasterSignature } = complete.paymaster ?? {};
  if (paymasterSignature === undefined) return data;
  const length = byteLength(paymasterSignature).toString(16).padStart(4, '0');
  return `${data}${paymasterSignature.slice(2)}${length}${PAYMASTER_SIGNATURE_MAGIC.slice(2)}`;
}

function longFactory({ factory, factoryData = '0x' }: UserOperationV07): Record<string, Hex> {
  return factory ? { factory, factoryData } : {};
}

/** Bundlers know the marker of EIP-7702 in its short form, and some in no other. */
export function toWireFactory({ factory, factoryData = '0x' }: UserOperationV07): Record<string, Hex> {
  if (!factory) return {};
  return { factory: factory === EIP7702_MARKER ? '0x7702' : factory, factoryData };
}

export function toWireAuthorization({
  chainId,
  address,
  nonce,
  r,
  s,
  yParity,
}: Eip7702Authorization): Record<string, Hex> {
  return {
    chainId: toQuantity(chainId),
    address,
    nonce: toQuantity(nonce),
    r: toWord(r),
    s: toWord(s),
    yParity: toQuantity(yParity),
  };
}
