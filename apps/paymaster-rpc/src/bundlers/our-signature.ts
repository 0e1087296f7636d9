import {
  decodePaymasterAndData,
  paymasterAndDataOf,
  type CompleteOperation,
  type DecodedPaymasterAndData,
  type DigestHasher,
} from '@paymaster/chain';
import { eip7702AuthOf, SponsorshipRefusedError, type Address } from '@paymaster/domain';
import { hexlify, recoverAddress } from 'ethers';
import type { Caller } from '../callers/caller';

/**
 * Whether the operation names a paymaster contract of ours on its EntryPoint. Contracts for which nothing is signed any
 * more count too.
 */
export function namesOurPaymaster(
  { operation, paymaster }: CompleteOperation,
  { chain }: Pick<Caller, 'chain'>,
): boolean {
  const served = chain.config.entryPoints[operation.entryPointVersion];
  if (!paymaster || !served) return false;
  return [served.paymaster, ...(served.drainingPaymasters ?? [])].includes(paymaster.paymaster);
}

/** The data of our contract; undefined when they have another layout, or are of another contract. */
export function ourDataOf(
  complete: CompleteOperation,
  caller: Pick<Caller, 'chain'>,
): DecodedPaymasterAndData | undefined {
  const { operation, paymaster } = complete;
  if (!paymaster || !namesOurPaymaster(complete, caller)) return undefined;
  const signature = paymaster.paymasterSignature?.slice(2) ?? '';
  try {
    return decodePaymasterAndData(operation.entryPointVersion, `${paymasterAndDataOf(complete)}${signature}`);
  } catch {
    return undefined;
  }
}

/**
 * Whether a signer of this gateway has signed exactly these paymaster data, and the data are still valid.
 *
 * @param delegate the delegate whose code the sender runs by EIP-7702, if the operation brings no authorization
 */
export function isSignedByUs(
  complete: CompleteOperation,
  {
    caller,
    hasher,
    signers,
    delegate,
  }: {
    caller: Pick<Caller, 'chain'>;
    hasher: DigestHasher;
    signers: readonly Address[];
    delegate?: Address | undefined;
  },
): boolean {
  const data = ourDataOf(complete, caller);
  const { operation } = complete;
  const served = caller.chain.config.entryPoints[operation.entryPointVersion];
  if (!data || !served || data.sponsorFields.validUntilSeconds <= caller.chain.head.nowSeconds()) return false;
  const { paymasterVerificationGasLimit, paymasterPostOpGasLimit, sponsorFields, signature } = data;
  try {
    const digest = hasher.digest(operation, {
      chainId: caller.chain.config.chainId,
      paymaster: data.paymaster,
      entryPoint: served.entryPoint,
      sponsorFields,
      paymasterGasLimits: { paymasterVerificationGasLimit, paymasterPostOpGasLimit },
      eip7702Delegate: eip7702AuthOf(operation)?.address ?? delegate,
    });
    return signers.includes(recoverAddress(hexlify(digest), signature).toLowerCase() as Address);
  } catch {
    return false; // No address can be recovered from a stub's signature.
  }
}

/** Who wants sponsored operations only. */
const SPONSORED_ONLY = {
  chain: 'The bundlers of this chain are sent only operations that a paymaster of this installation has signed.',
  key: "This API key sends only operations with a valid signature of its own paymaster; the key's owner can change that.",
} as const;

/**
 * The refusal of an operation that is not sponsored.
 *
 * @param by `chain`: every bundler costs the operator something; `key`: the owner of the key wants it
 */
export function forSponsoredOnly(by: keyof typeof SPONSORED_ONLY): SponsorshipRefusedError {
  return new SponsorshipRefusedError('BUNDLER_FOR_SPONSORED_ONLY', SPONSORED_ONLY[by]);
}
