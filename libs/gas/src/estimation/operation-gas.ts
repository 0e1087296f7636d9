import { randomBytes } from 'node:crypto';
import {
  CallRevertedError,
  delegationOf,
  encodePaymasterAndData,
  parseBytes,
  StateOverridesUnsupportedError,
  supportsStateOverrides,
  UnexpectedAnswerError,
  type BlockOverride,
  type ChainBounds,
  type ChainConfig,
  type ChainHead,
  type ChainProvider,
  type StateOverrides,
} from '@paymaster/chain';
import { operationMeterAbi, operationMeterRuntimeBytecode } from '@paymaster/contract-abis';
import {
  byteLength,
  ceilDiv,
  DependencyUnavailableError,
  EIP7702_MARKER,
  ENTRY_POINTS,
  factoryOf,
  initCodeOf,
  isPacked,
  SimulationFailedError,
  type AccountGasLimits,
  type Address,
  type Hex,
  type UserOperation,
} from '@paymaster/domain';
import { getCreateAddress, Interface } from 'ethers';
import { nextNonce, SEQUENCE_BITS } from './next-nonce';
import { NO_REASON, revertReason } from './revert-reason';
import type { PaymasterFields } from './wire-user-operation';

const METER = new Interface(operationMeterAbi);

/**
 * The functions of ERC-4337 that the EntryPoint calls on its SenderCreator and on accounts, by the form of the
 * operation.
 */
const SENDER_CREATOR = new Interface([
  'function createSender(bytes initCode)',
  'function initEip7702Sender(address sender, bytes initCallData)',
]);
/** An operation in the ABI of EntryPoint v0.6. */
export const V06_OPERATION =
  '(address sender,uint256 nonce,bytes initCode,bytes callData,uint256 callGasLimit,uint256 verificationGasLimit,uint256 preVerificationGas,uint256 maxFeePerGas,uint256 maxPriorityFeePerGas,bytes paymasterAndData,bytes signature)';
/** An operation in the ABI of the later versions. */
export const PACKED_OPERATION =
  '(address sender,uint256 nonce,bytes initCode,bytes callData,bytes32 accountGasLimits,uint256 preVerificationGas,bytes32 gasFees,bytes paymasterAndData,bytes signature)';
const accountOf = (operation: string): Interface =>
  new Interface([
    `function validateUserOp(${operation} userOp, bytes32 userOpHash, uint256 missingAccountFunds)`,
    `function executeUserOp(${operation} userOp, bytes32 userOpHash)`,
  ]);
const V06_ACCOUNT = accountOf(V06_OPERATION);
const PACKED_ACCOUNT = accountOf(PACKED_OPERATION);
const EXECUTE_USER_OP = '0x8dd7712f';

/** Stands for the operation's hash. It is not known yet, because the final paymaster data is part of it. */
const SOME_HASH = `0x${'5a'.repeat(32)}`;

const CREATION_GAS = 2_000n;
const WORD_GAS = 17n;
/** The first operation of a nonce key writes a slot that was zero; EIP-2200 and EIP-2929. */
const FIRST_NONCE_GAS = 22_100n;
const NEXT_NONCE_GAS = 5_000n;

/** The meter gets gas for at least this many tries of one limit. */
const TRIES = 3n;
/** For the request's data and for what surrounds the tries; gas. */
const METER_GAS = 2_000_000n;

/** Where the meter expects the EntryPoint's own code. */
const ENTRY_POINT_CODE: Address = '0x456e747279506f696e742773206f776e20636f64';

/** The balance of the bundle's sender, who has to pay for all its gas; wei. */
const BUNDLER_BALANCE_WEI = 10n ** 30n;
/** The gas price of the bundle, as a multiple of the head's base fee, which may rise meanwhile. */
const BASE_FEES = 2n;
/** A node may have seen blocks that are this much later than ours; seconds. */
const NODE_AHEAD_SECONDS = 4;
/** When nodes do not know block overrides, calls are made without them for this long; milliseconds. */
const NO_BLOCKS_MS = 600_000;

/** How the meter names the step that failed (`Step`), with ERC-4337's code of the same failure. */
const FAILURES = [
  '',
  'AA10 sender already constructed',
  'AA13 initCode failed or OOG',
  'AA14 initCode must return sender',
  'AA15 initCode must create sender',
  'AA20 account not deployed',
  'AA23 reverted',
  'execution reverted',
] as const;
const [CREATION_FAILED, VALIDATION_FAILED, EXECUTION_FAILED] = [2, 6, 7] as const;
/**
 * A step that ran out of gas returns nothing, and neither does a bare `revert()`. The first has used nearly all its gas:
 * at each level a 64th is kept. So a step that used less than half has reverted.
 */
const MOST_OF_GAS = 2n;
/** The most bytes that the meter keeps of a step's answer. */
const MAX_RETURNED_BYTES = 1_024;

/** An operation whose gas is to be measured, with the paymaster fields that it is estimated with. */
export interface OperationGasRequest {
  /** Has a signature, or a stub of the length and kind of the final signature. Its gas limits are ignored. */
  readonly operation: UserOperation;
  readonly entryPoint: Address;
  readonly paymaster: PaymasterFields;
  /** When the client is answered at the latest; milliseconds of the monotonic clock. */
  readonly deadlineMs?: number | undefined;
}

/** The least limits with which the account's part of an operation works. */
export type OperationGasLimits = Pick<AccountGasLimits, 'verificationGasLimit' | 'callGasLimit'>;

/** The fields of a chain that a measurement needs. */
export type MeteredChain = Pick<ChainConfig, 'blockTimeSeconds'> & {
  readonly bounds: Pick<ChainBounds, 'maxCallGasLimit' | 'maxVerificationGasLimit'>;
};

/**
 * Measures an operation on the chain itself: `OperationMeter` stands in the EntryPoint's place for one `eth_call`, and
 * tries limits until the least is found. Needs no bundler, but a node that takes state overrides.
 *
 * The call is made as if in a later block, by a bundler who pays a gas price, because some contracts store the block or
 * the price. If that wrote zero to an empty slot, or wrote to a slot that the latest block has filled, it would take
 * 20,000 gas less than on chain.
 *
 * Accounts and factories are strangers' code. Give it a separate provider, so that faults which that code causes at a
 * node do not count against other reads.
 */
export class OperationGas {
  /** EntryPoints never change, so their code is read once. */
  private readonly codes = new Map<Address, Hex>();
  private noBlocksUntilMs = 0;

  constructor(
    private readonly provider: Pick<ChainProvider, 'ethCall' | 'code' | 'chain'>,
    private readonly chain: MeteredChain,
    private readonly head: Pick<ChainHead, 'latest' | 'nowSeconds'>,
  ) {}

  /**
   * @returns the least limits with which the operation works as the chain is now, without the paymaster's share of
   *   v0.6's verification limit; gas
   * @throws {SimulationFailedError} naming the failed step by its AA code, or the revert of the call
   * @throws {DependencyUnavailableError} `chain`, when it cannot be measured now, or not at this chain's nodes
   */
  async measure(request: OperationGasRequest): Promise<OperationGasLimits> {
    const { operation } = request;
    const counting = this.assertNextNonce(request);
    // It may reject before the meter ends: without a handler by then, Node would end the process.
    const counted = counting.catch(() => undefined);
    // Waits for both calls, because the caller counts simulations that are under way, and the meter's is one of them.
    const outcome = await this.runMeter(request).finally(() => counted);
    await counting;
    if (outcome.failed !== 0) throw failureOf(outcome, this.chain.bounds);
    const validation = outcome.validationGasUsed + entryPointGas(operation, request.paymaster);
    const { validationGasLimit, callGasLimit } = outcome;
    const least = validation > validationGasLimit ? validation : validationGasLimit;
    return { verificationGasLimit: least, callGasLimit };
  }

  /**
   * Checks the nonce, because the meter does not: it takes the place of the EntryPoint, which checks nonces on chain.
   */
  private async assertNextNonce({ operation, entryPoint, deadlineMs }: OperationGasRequest): Promise<void> {
    const { sender, nonce } = operation;
    const next = await nextNonce(this.provider, { entryPoint, sender, nonce }, deadlineMs);
    if (next === nonce) return;
    const aaCode = 'AA25';
    throw new SimulationFailedError(
      'VALIDATION_SIMULATION_FAILED',
      `the operation's validation fails in simulation: AA25 invalid account nonce, the next is 0x${next.toString(16)}`,
      { aaCode },
    );
  }

  private async runMeter(request: OperationGasRequest): Promise<MeterOutcome> {
    const { operation, entryPoint, deadlineMs } = request;
    const { bounds } = this.chain;
    const from: Address = `0x${randomBytes(20).toString('hex')}`;
    const call = {
      ...{ from, to: entryPoint, data: METER.encodeFunctionData('measure', [meterRequest(request, bounds)]) as Hex },
      gas: TRIES * (bounds.maxCallGasLimit + bounds.maxVerificationGasLimit) + METER_GAS,
      gasPriceWei: BASE_FEES * this.head.latest().baseFeePerGasWei + 1n,
    };
    const overrides: StateOverrides = {
      ...delegationOf(operation),
      [from]: { balanceWei: BUNDLER_BALANCE_WEI },
      [entryPoint]: { code: operationMeterRuntimeBytecode },
      [ENTRY_POINT_CODE]: { code: await this.codeOf(entryPoint, deadlineMs) },
    };
    const run = (block?: BlockOverride) =>
      this.provider.ethCall(call, (answer) => parseOutcome(answer, bounds), overrides, deadlineMs, block);
    try {
      return await this.inLaterBlock(run);
    } catch (error) {
      const { chainId } = this.provider.chain;
      if (error instanceof CallRevertedError) {
        // The meter itself does not revert: either its code was not there, or the node gives less gas than was asked.
        if (await supportsStateOverrides(this.provider, deadlineMs))
          throw unmeasured(`a node of chain ${chainId} gives less than ${call.gas} gas to an eth_call`, error);
      } else if (!(error instanceof StateOverridesUnsupportedError)) throw error;
      throw unmeasured(`the nodes of chain ${chainId} do not take state overrides`, error);
    }
  }

  /** Nodes that do not know the fourth parameter of `eth_call` make the call in their latest block. */
  private async inLaterBlock<T>(run: (block?: BlockOverride) => Promise<T>): Promise<T> {
    const nowMs = performance.now();
    if (nowMs < this.noBlocksUntilMs) return run();
    const { blockTimeSeconds } = this.chain;
    const blocks = 1 + Math.ceil(NODE_AHEAD_SECONDS / blockTimeSeconds);
    const number = this.head.latest().number + BigInt(blocks);
    const timestampSeconds = this.head.nowSeconds() + Math.ceil(blocks * blockTimeSeconds);
    try {
      return await run({ number, timestampSeconds });
    } catch (error) {
      if (!(error instanceof StateOverridesUnsupportedError)) throw error;
      const found = await run();
      this.noBlocksUntilMs = nowMs + NO_BLOCKS_MS;
      return found;
    }
  }

  private async codeOf(entryPoint: Address, deadlineMs: number | undefined): Promise<Hex> {
    const known = this.codes.get(entryPoint);
    if (known !== undefined) return known;
    const code = await this.provider.code(entryPoint, deadlineMs);
    // A node that lags behind its chain may not have it yet.
    if (code === '0x') throw unmeasured(`a node has no code of the EntryPoint at ${entryPoint}`);
    this.codes.set(entryPoint, code);
    return code;
  }
}

function unmeasured(why: string, cause?: unknown): DependencyUnavailableError {
  return new DependencyUnavailableError('chain', `the gas of this operation cannot be measured: ${why}`, { cause });
}

/** The struct `Request` of OperationMeter. */
function meterRequest(
  { operation, entryPoint, paymaster }: OperationGasRequest,
  { maxCallGasLimit, maxVerificationGasLimit }: Pick<ChainBounds, 'maxCallGasLimit' | 'maxVerificationGasLimit'>,
): Record<string, unknown> {
  const account = isPacked(operation) ? PACKED_ACCOUNT : V06_ACCOUNT;
  const limits = { callGasLimit: maxCallGasLimit, verificationGasLimit: maxVerificationGasLimit };
  const wire = onWire({ ...operation, ...limits }, paymaster);
  const { callsExecuteUserOp, skipsFactoryOfExisting } = ENTRY_POINTS[operation.entryPointVersion];
  const isWhole = callsExecuteUserOp && operation.callData.startsWith(EXECUTE_USER_OP);
  return {
    // The EntryPoint makes it in its constructor, before any other contract (EIP-161: nonce 1).
    senderCreator: getCreateAddress({ from: entryPoint, nonce: 1 }),
    ...creationOf(operation),
    skipsExisting: skipsFactoryOfExisting,
    sender: operation.sender,
    validation: account.encodeFunctionData('validateUserOp', [wire, SOME_HASH, 0n]),
    execution: isWhole ? account.encodeFunctionData('executeUserOp', [wire, SOME_HASH]) : operation.callData,
    maxVerificationGas: maxVerificationGasLimit,
    maxCallGas: maxCallGasLimit,
  };
}

/** What the EntryPoint asks of its SenderCreator before validation. */
function creationOf(operation: UserOperation): { creation: Hex; deploys: boolean } {
  const creation = factoryOf(operation);
  if (!creation) return { creation: '0x', deploys: false };
  const { factory, factoryData } = creation;
  if (factory !== EIP7702_MARKER)
    return {
      creation: SENDER_CREATOR.encodeFunctionData('createSender', [initCodeOf(operation)]) as Hex,
      deploys: true,
    };
  if (factoryData === '0x') return { creation: '0x', deploys: false };
  const setUp = SENDER_CREATOR.encodeFunctionData('initEip7702Sender', [operation.sender, factoryData]) as Hex;
  return { creation: setUp, deploys: false };
}

/** The operation as an account gets it. */
function onWire(operation: UserOperation, paymaster: PaymasterFields): Record<string, unknown> {
  const version = operation.entryPointVersion;
  const common = {
    ...operation,
    initCode: initCodeOf(operation),
    paymasterAndData: encodePaymasterAndData({ version, ...paymaster }),
  };
  if (!isPacked(operation)) return common;
  return {
    ...common,
    accountGasLimits: twoHalves(operation.verificationGasLimit, operation.callGasLimit),
    gasFees: twoHalves(operation.maxPriorityFeePerGas, operation.maxFeePerGas),
  };
}

/** Two numbers in the word of a packed operation. */
export function twoHalves(high: bigint, low: bigint): Hex {
  return `0x${((high << 128n) | low).toString(16).padStart(64, '0')}`;
}

function entryPointGas(operation: UserOperation, paymaster: PaymasterFields): bigint {
  const { entryPointVersion: version, callData, signature, nonce } = operation;
  const bytes = [initCodeOf(operation), callData, signature, encodePaymasterAndData({ version, ...paymaster })];
  const words = bytes.reduce((sum, part) => sum + ceilDiv(BigInt(byteLength(part)), 32n), 0n);
  const isFirst = BigInt.asUintN(SEQUENCE_BITS, nonce) === 0n;
  const ofNonce = isFirst ? FIRST_NONCE_GAS : NEXT_NONCE_GAS;
  return ENTRY_POINTS[version].validationGas + WORD_GAS * words + ofNonce + (factoryOf(operation) ? CREATION_GAS : 0n);
}

/** The struct `Outcome` of OperationMeter. */
interface MeterOutcome {
  readonly failed: number;
  readonly returned: Hex;
  /** Of a step that failed too. */
  readonly validationGasUsed: bigint;
  readonly validationGasLimit: bigint;
  readonly callGasUsed: bigint;
  readonly callGasLimit: bigint;
}

/** @throws {UnexpectedAnswerError} when it is no answer of the meter to a request with these bounds */
function parseOutcome(
  answer: unknown,
  { maxCallGasLimit, maxVerificationGasLimit }: MeteredChain['bounds'],
): MeterOutcome {
  const bytes = parseBytes(answer, 'measure');
  let outcome: Omit<MeterOutcome, 'failed'> & { failed: bigint };
  try {
    [outcome] = METER.decodeFunctionResult('measure', bytes).toArray() as [typeof outcome];
  } catch {
    throw new UnexpectedAnswerError('measure');
  }
  const { failed, returned, validationGasUsed, validationGasLimit, callGasUsed, callGasLimit } = outcome;
  const isPossible =
    failed < FAILURES.length &&
    byteLength(returned) <= MAX_RETURNED_BYTES &&
    callGasLimit <= maxCallGasLimit &&
    validationGasLimit <= maxVerificationGasLimit &&
    // The factory's part and the account's part may each take that much, and there is work around them.
    validationGasUsed <= 3n * maxVerificationGasLimit;
  if (!isPossible) throw new UnexpectedAnswerError('measure', 'is impossible');
  return { failed: Number(failed), returned, validationGasUsed, validationGasLimit, callGasUsed, callGasLimit };
}

function failureOf(
  { failed, returned, validationGasUsed, callGasUsed }: MeterOutcome,
  { maxCallGasLimit, maxVerificationGasLimit }: MeteredChain['bounds'],
): SimulationFailedError {
  const isCall = failed === EXECUTION_FAILED;
  const what = FAILURES[failed] ?? FAILURES[VALIDATION_FAILED];
  const most = isCall ? maxCallGasLimit : maxVerificationGasLimit;
  const ranOut = MOST_OF_GAS * (isCall ? callGasUsed : validationGasUsed) >= most;
  const unexplained = ranOut ? `it takes more than ${most} gas, the most that is measured` : 'it reverts without data';
  const reason = revertReason(returned).replace(NO_REASON, unexplained);
  const details = { revertReason: reason, revertData: returned };
  if (isCall)
    return new SimulationFailedError(
      'EXECUTION_SIMULATION_FAILED',
      `the operation's call fails in simulation: ${reason}`,
      details,
    );
  const runsCode = failed === CREATION_FAILED || failed === VALIDATION_FAILED;
  return new SimulationFailedError(
    'VALIDATION_SIMULATION_FAILED',
    `the operation's validation fails in simulation: ${what}${runsCode ? `: ${reason}` : ''}`,
    { aaCode: what.slice(0, 4), ...(runsCode && details) },
  );
}
