import { randomBytes } from 'node:crypto';
import {
  CallRevertedError,
  ChainProvider,
  delegationOf,
  signedPaymasterAndDataOf,
  type ChainBounds,
  type ChainConfig,
  type CompleteOperation,
  type StateOverrides,
} from '@paymaster/chain';
import {
  BundlerRefusedError,
  byteLength,
  DependencyUnavailableError,
  initCodeOf,
  isPacked,
  type Address,
  type Hex,
} from '@paymaster/domain';
import { monotonicClock } from '@paymaster/turns';
import { Interface, keccak256, toBeHex, zeroPadValue } from 'ethers';
import { PACKED_OPERATION, twoHalves, V06_OPERATION } from '../estimation/operation-gas';
import { nextNonce, SEQUENCE_BITS } from '../estimation/next-nonce';
import { presentable } from '../estimation/presentable';
import { revertReason } from '../estimation/revert-reason';

const entryPointOf = (operation: string): Interface =>
  new Interface([
    `function handleOps(${operation}[] ops, address beneficiary)`,
    'error FailedOp(uint256 opIndex, string reason)',
    'error FailedOpWithRevert(uint256 opIndex, string reason, bytes inner)',
  ]);
const ENTRY_POINT_V06 = entryPointOf(V06_OPERATION);
const ENTRY_POINT_PACKED = entryPointOf(PACKED_OPERATION);
/** Where EntryPoint v0.9 keeps `nonceSequenceNumber`. */
const NONCES_SLOT = 1n;

/**
 * The EntryPoint validates every operation of a bundle before it executes the first. This second one has too few bytes
 * of paymaster data on each version, so the bundle ends there and the operation's own calls never run.
 */
const ENDS_VALIDATION = {
  ...{ nonce: 0n, initCode: '0x', callData: '0x', paymasterAndData: '0x00', signature: '0x' },
  ...{ callGasLimit: 0n, verificationGasLimit: 0n, preVerificationGas: 0n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n },
  ...{ accountGasLimits: twoHalves(0n, 0n), gasFees: twoHalves(0n, 0n) },
};

/** v0.6 gives the account's limit to the factory, the account and the paymaster each. */
const LIMITS_USED = 3n;
/** For the EntryPoint's own work, and for a byte of the operation, which it hashes and copies; gas. */
const ENTRY_POINT_GAS = 1_000_000n;
const BYTE_GAS = 100n;

/** A call takes at most this part of the time of a trial. */
const CALL_SHARE = 2 / 3;
/** What time decides: a node's latest block may be older than the block that a bundler builds. */
const OF_TIME = ['AA22', 'AA27', 'AA32', 'AA37'];
/** What an operation before it may change: the nonce is not the account's next, or the account is not there. */
const OF_NONCE = ['AA25', 'AA20'];
/** Codes of ERC-7769. */
const CODES: Readonly<Record<string, number>> = { AA24: -32_507, AA34: -32_507, AA31: -32_508 };
const [REJECTED_BY_PAYMASTER, REJECTED_BY_ENTRY_POINT] = [-32_501, -32_500] as const;

/** An operation as it would be sent to a bundler. */
export interface ValidationTrialRequest {
  readonly complete: CompleteOperation;
  readonly entryPoint: Address;
  /** Milliseconds of the monotonic clock. */
  readonly deadlineMs: number;
}

/**
 * Tries the validation of an operation with the signatures that it has: the EntryPoint's own, in one `eth_call` of a
 * bundle. It needs state overrides only for an account whose delegation by EIP-7702 is not on chain yet.
 *
 * Accounts and factories are strangers' code, so it has connections to the nodes of its own.
 */
export class ValidationTrial {
  /** How long a trial takes at most; milliseconds. */
  readonly timeoutMs: number;
  private readonly provider: ChainProvider;
  private readonly bounds: Pick<ChainBounds, 'maxVerificationGasLimit'>;

  /**
   * @param onFault called for every failed attempt
   * @param timeoutMs how long an operation waits before it is sent untried
   */
  constructor(
    config: Pick<ChainConfig, 'chainId' | 'rpcUrls'> & {
      readonly bounds: Pick<ChainBounds, 'maxVerificationGasLimit'>;
    },
    { onFault, timeoutMs }: { onFault?: (error: Error) => void; timeoutMs: number },
  ) {
    // Shorter than a trial, so that a node which does not answer is found to be down and not asked for a while.
    const callTimeoutMs = timeoutMs * CALL_SHARE;
    this.provider = new ChainProvider(config, {
      callTimeoutMs,
      totalTimeoutMs: callTimeoutMs,
      ...(onFault && { onFault }),
    });
    this.timeoutMs = timeoutMs;
    this.bounds = config.bounds;
  }

  /**
   * Why no bundler could land the operation. It says nothing of an operation whose nonce is not the account's next: it
   * has landed, or bundlers hold it until the one before has landed.
   *
   * @returns undefined when its validation succeeds, or is not to be judged here
   * @throws {DependencyUnavailableError} `chain`, when no node answers
   * @throws {StateOverridesUnsupportedError} when it needs them
   */
  async refusal(asked: ValidationTrialRequest): Promise<BundlerRefusedError | undefined> {
    const request = this.within(asked);
    const { maxVerificationGasLimit: most } = this.bounds;
    const { operation, paymaster } = request.complete;
    if (operation.verificationGasLimit > most || (paymaster?.paymasterVerificationGasLimit ?? 0n) > most)
      return undefined;
    const failure = await this.failure(request, delegationOf(operation));
    if (!failure || OF_TIME.includes(failure.aaCode) || (await this.nextNonce(request)) !== operation.nonce)
      return undefined;
    return refusalFor(failure);
  }

  /**
   * The same on EntryPoint v0.9 for an operation whose paymaster has not signed yet. The account and all else must be
   * valid: then the placeholder in the signature's place fails last, with `AA34`. A nonce ahead of the account's next is
   * tried as if the operations before it had landed. Nothing is left to a bundler to find out.
   *
   * @returns undefined when all but the paymaster's signature is valid
   * @throws {DependencyUnavailableError} `chain`, when it cannot be tried
   */
  async refusalBeforeSignature(asked: ValidationTrialRequest): Promise<BundlerRefusedError | undefined> {
    const request = this.within(asked);
    const { operation } = request.complete;
    const delegation = delegationOf(operation);
    try {
      let failure = await this.failure(request, delegation);
      if (failure && OF_NONCE.includes(failure.aaCode)) {
        const next = await this.nextNonce(request);
        const isThere = failure.aaCode === 'AA25';
        if (operation.nonce < next || (!isThere && operation.nonce === next)) return refusalFor(failure);
        // An account that the operation before creates cannot be tried. A node without overrides says the same again.
        failure = isThere ? await this.failure(request, { ...delegation, ...nonceOf(request) }) : undefined;
        if (failure?.aaCode === 'AA25') failure = undefined;
      }
      if (failure) return failure.aaCode === 'AA34' ? undefined : refusalFor(failure);
    } catch (error) {
      throw new DependencyUnavailableError('chain', 'the validation of the operation cannot be tried', {
        cause: error,
      });
    }
    throw new DependencyUnavailableError('chain', 'the validation of the operation cannot be tried');
  }

  private within(asked: ValidationTrialRequest): ValidationTrialRequest {
    return { ...asked, deadlineMs: Math.min(asked.deadlineMs, monotonicClock() + this.timeoutMs) };
  }

  /** @returns undefined when the EntryPoint goes on to the operation that ends the bundle */
  private failure(request: ValidationTrialRequest, overrides: StateOverrides): Promise<Failure | undefined> {
    const { complete, entryPoint, deadlineMs } = request;
    const { operation, paymaster } = complete;
    const { from, data } = bundleOf(request);
    const gas =
      LIMITS_USED * operation.verificationGasLimit +
      (paymaster?.paymasterVerificationGasLimit ?? 0n) +
      ENTRY_POINT_GAS +
      BYTE_GAS * BigInt(byteLength(data));
    const needed = Object.keys(overrides).length > 0 ? overrides : undefined;
    return this.provider
      .ethCall({ from, to: entryPoint, data, gas }, () => undefined, needed, deadlineMs)
      .catch((error: unknown) => {
        if (error instanceof CallRevertedError) return failureOf(error.data);
        throw error;
      });
  }

  /** The next nonce of the key of the operation's nonce. */
  private nextNonce({ complete, entryPoint, deadlineMs }: ValidationTrialRequest): Promise<bigint> {
    const { sender, nonce } = complete.operation;
    return nextNonce(this.provider, { entryPoint, sender, nonce }, deadlineMs);
  }
}

/** The EntryPoint's state in which the operation's nonce is the account's next. */
function nonceOf({ complete, entryPoint }: ValidationTrialRequest): StateOverrides {
  const { sender, nonce } = complete.operation;
  const ofSender = keccak256(zeroPadValue(sender, 32) + toBeHex(NONCES_SLOT, 32).slice(2));
  const slot = keccak256(toBeHex(nonce >> BigInt(SEQUENCE_BITS), 32) + ofSender.slice(2)) as Hex;
  const sequence = toBeHex(BigInt.asUintN(SEQUENCE_BITS, nonce), 32) as Hex;
  return { [entryPoint]: { stateDiff: { [slot]: sequence } } };
}

/** The sender has no code: later EntryPoints let no contract bundle. */
function bundleOf({ complete, entryPoint }: ValidationTrialRequest): { from: Address; data: Hex } {
  const { operation } = complete;
  const from: Address = `0x${randomBytes(20).toString('hex')}`;
  const wire = {
    ...operation,
    initCode: initCodeOf(operation),
    paymasterAndData: signedPaymasterAndDataOf(complete),
    ...(isPacked(operation) && {
      accountGasLimits: twoHalves(operation.verificationGasLimit, operation.callGasLimit),
      gasFees: twoHalves(operation.maxPriorityFeePerGas, operation.maxFeePerGas),
    }),
  };
  const abi = isPacked(operation) ? ENTRY_POINT_PACKED : ENTRY_POINT_V06;
  const operations = [wire, { ...ENDS_VALIDATION, sender: entryPoint }];
  return { from, data: abi.encodeFunctionData('handleOps', [operations, from]) as Hex };
}

/** Why the EntryPoint refuses an operation. */
interface Failure {
  readonly aaCode: string;
  /** With that code. */
  readonly reason: string;
  /** What the account or the paymaster reverted with; `0x` on v0.6, whose reason has it. */
  readonly inner: Hex;
}

/** @param data of the revert; some nodes put text around it */
function failureOf(data: unknown): Failure | undefined {
  const bytes = typeof data === 'string' ? /0x[0-9a-fA-F]+/.exec(data)?.[0] : undefined;
  let failed: readonly unknown[];
  try {
    failed = ENTRY_POINT_PACKED.parseError(bytes ?? '0x')?.args.toArray() ?? [];
  } catch {
    return undefined;
  }
  const [index, text, inner = '0x'] = failed as [bigint?, string?, Hex?];
  const aaCode = /^AA\d\d/.exec(text ?? '')?.[0];
  if (index !== 0n || text === undefined || aaCode === undefined) return undefined;
  return { aaCode, reason: presentable(text), inner };
}

function refusalFor({ aaCode, reason, inner }: Failure): BundlerRefusedError {
  const code = CODES[aaCode] ?? (aaCode.startsWith('AA3') ? REJECTED_BY_PAYMASTER : REJECTED_BY_ENTRY_POINT);
  const why = inner === '0x' ? undefined : revertReason(inner);
  const sentence = `The gateway has sent the operation to no bundler, because its validation fails: ${reason}`;
  return new BundlerRefusedError(code, why === undefined ? sentence : `${sentence}: ${why}`, {
    aaCode,
    ...(why !== undefined && { revertReason: why }),
  });
}
