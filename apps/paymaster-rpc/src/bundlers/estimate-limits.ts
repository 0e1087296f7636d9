import { isTokenFields, type CompleteOperation } from '@paymaster/chain';
import {
  DependencyUnavailableError,
  FundingWalletError,
  InvalidParamsError,
  isPacked,
  max,
  type AccountGasLimits,
  type PaymasterGasLimits,
} from '@paymaster/domain';
import { parseQuantity, UnexpectedAnswerError } from '@paymaster/chain';
import type { Caller } from '../callers/caller';
import { NoBundlerError } from '../platform/errors/rpc-errors';
import { withAssumedFees } from '../decide/terms/assumed-fees';
import { estimatedGasLimits } from '../decide/limits/gas-limits';
import { sponsorTerms } from '../decide/terms/sponsor-terms';
import { inTurn } from '../decide/limits/in-turn';
import { namesOurPaymaster, ourDataOf } from './our-signature';

/** The limits of an estimate, with what the client gets beside them. */
export interface Estimate {
  readonly limits: AccountGasLimits;
  /** Of an operation with a paymaster, on EntryPoint v0.7 and later. */
  readonly paymasterLimits: Partial<PaymasterGasLimits>;
}

/** An operation whose limits and fees are not known yet has placeholders for them, which a bundler must not read. */
const UNSET = { callGasLimit: 0n, verificationGasLimit: 0n, preVerificationGas: 0n } as const;

/**
 * The limits of an operation that is not signed yet.
 *
 * This platform measures them where it can: for an account that pays itself, and with this gateway's sponsorship stub.
 * A bundler estimates the rest: other paymasters, payments in a token, state overrides. With a dummy signature, a
 * bundler's check of an account ends at the first signer. So a payment to this paymaster gets at least the verification
 * gas that is measured for a sponsorship, which has room for all signers.
 */
export async function estimateLimits(
  caller: Caller,
  complete: CompleteOperation,
  overrides: unknown,
): Promise<Estimate> {
  const data = ourDataOf(complete, caller);
  const isPaidInToken = data !== undefined && isTokenFields(data.sponsorFields);
  if (overrides === undefined && !isPaidInToken && (!complete.paymaster || data)) {
    try {
      return await measured(caller, complete);
    } catch (error) {
      if (!isOfMeasuring(error) || caller.chain.bundlers.of(complete.operation.entryPointVersion).length === 0)
        throw error;
    }
  }
  const estimate = await bundlersEstimate(caller, complete, overrides);
  if (!isPaidInToken) return estimate;
  // This measurement may fail, because the account's call may need tokens that it has only with the payment's approval.
  const sponsored = await measured(caller, complete, { isPaidInToken }).catch(() => undefined);
  return sponsored ? { ...estimate, limits: highest(estimate.limits, sponsored.limits) } : estimate;
}

function highest(a: AccountGasLimits, b: AccountGasLimits): AccountGasLimits {
  return {
    callGasLimit: max(a.callGasLimit, b.callGasLimit),
    verificationGasLimit: max(a.verificationGasLimit, b.verificationGasLimit),
    preVerificationGas: max(a.preVerificationGas, b.preVerificationGas),
  };
}

/**
 * Whether a bundler may estimate what this gateway cannot, because there is no funding wallet, no answer of the node or
 * no turn.
 */
function isOfMeasuring(error: unknown): boolean {
  return (
    error instanceof FundingWalletError ||
    error instanceof DependencyUnavailableError ||
    // An account of an unknown family without a signature: a bundler may be able to estimate it.
    error instanceof InvalidParamsError
  );
}

async function measured(
  caller: Caller,
  { operation, paymaster }: CompleteOperation,
  { isPaidInToken = false } = {},
): Promise<Estimate> {
  const terms = sponsorTerms(caller, operation.entryPointVersion);
  const priced = operation.maxFeePerGas > 0n ? operation : withAssumedFees(operation, caller);
  const asked = { caller, operation: { ...priced, ...UNSET }, account: undefined, terms, isPaidInToken };
  const limits = await estimatedGasLimits(asked);
  const { paymasterVerificationGasLimit, paymasterPostOpGasLimit } = terms.constants;
  const isOfPaymaster = paymaster !== undefined && isPacked(operation);
  return { limits, paymasterLimits: isOfPaymaster ? { paymasterVerificationGasLimit, paymasterPostOpGasLimit } : {} };
}

async function bundlersEstimate(caller: Caller, complete: CompleteOperation, overrides: unknown): Promise<Estimate> {
  const { chain, deadlineMs } = caller;
  const { operation, paymaster } = complete;
  const version = operation.entryPointVersion;
  if (chain.bundlers.of(version).length === 0) throw new NoBundlerError(chain.config.chainId);
  const { entryPoint } = chain.config.entryPoints[version]!;
  const priced = operation.maxFeePerGas > 0n ? operation : withAssumedFees(operation, caller);
  const asked = { complete: { operation: { ...priced, ...UNSET }, paymaster }, entryPoint, overrides, deadlineMs };
  const isOurs = namesOurPaymaster(complete, caller);
  // It runs the client's code, as our own simulations do.
  const answer = await inTurn(caller, () => chain.bundlers.estimate({ ...asked, isOurs }));
  return { limits: accountLimits(answer), paymasterLimits: paymaster ? paymasterLimits(answer) : {} };
}

function accountLimits(answer: Readonly<Record<string, unknown>>): AccountGasLimits {
  return {
    callGasLimit: quantityOf(answer, 'callGasLimit'),
    // Early v0.6 bundlers said verificationGas.
    verificationGasLimit: quantityOf(
      answer,
      'verificationGasLimit' in answer ? 'verificationGasLimit' : 'verificationGas',
    ),
    preVerificationGas: quantityOf(answer, 'preVerificationGas'),
  };
}

/** The limits that the bundler names: rundler says null for an operation without a paymaster. */
function paymasterLimits(answer: Readonly<Record<string, unknown>>): Partial<PaymasterGasLimits> {
  const names = ['paymasterVerificationGasLimit', 'paymasterPostOpGasLimit'] as const;
  const named = names.filter((name) => answer[name] !== null && answer[name] !== undefined);
  return Object.fromEntries(named.map((name) => [name, quantityOf(answer, name)]));
}

function quantityOf(answer: Readonly<Record<string, unknown>>, name: string): bigint {
  try {
    return parseQuantity(answer[name], name);
  } catch (error) {
    if (!(error instanceof UnexpectedAnswerError)) throw error;
    throw new DependencyUnavailableError('bundler', 'the bundler gives no usable estimate', { cause: error });
  }
}
