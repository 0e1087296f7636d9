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
  type EntryPointVersion,
  type Hex,
  type UserOperation,
} from '@paymaster/domain';
import { AbiCoder, getCreateAddress, Interface } from 'ethers';
import type { ChainBounds } from '../chains/chain-config';
import { parseBytes, parseWords, UnexpectedAnswerError } from '../json-rpc/parse';
import { encodePaymasterAndData } from '../paymaster-data/encode-paymaster-and-data';
import type { ChainProvider } from '../providers/chain-provider';
import { CallRevertedError } from '../providers/eth-call';
import { delegationOf, StateOverridesUnsupportedError, supportsStateOverrides } from '../providers/state-overrides';
import type { PaymasterFields } from './wire-user-operation';

const METER = new Interface(operationMeterAbi);
const NONCES = new Interface(['function getNonce(address sender, uint192 key) view returns (uint256)']);

/** Of ERC-4337: what the EntryPoint calls on its SenderCreator and on accounts, by the form of the operation. */
const SENDER_CREATOR = new Interface([
  'function createSender(bytes initCode)',
  'function initEip7702Sender(address sender, bytes initCallData)',
]);
const V06_OPERATION =
  '(address sender,uint256 nonce,bytes initCode,bytes callData,uint256 callGasLimit,uint256 verificationGasLimit,uint256 preVerificationGas,uint256 maxFeePerGas,uint256 maxPriorityFeePerGas,bytes paymasterAndData,bytes signature)';
const PACKED_OPERATION =
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

/**
 * What the EntryPoint itself takes of `verificationGasLimit` beside the account: it copies and hashes the operation, and
 * calls the SenderCreator (measured, operation-gas.integration.spec.ts); gas.
 */
const ENTRY_POINT_GAS: Readonly<Record<EntryPointVersion, bigint>> = {
  '0.6': 10_000n,
  '0.7': 8_800n,
  '0.8': 9_300n,
  '0.9': 9_400n,
};
const CREATION_GAS = 2_000n;
const WORD_GAS = 17n;
/** The first operation of a nonce key writes a slot that was zero; EIP-2200 and EIP-2929. */
const FIRST_NONCE_GAS = 22_100n;
const NEXT_NONCE_GAS = 5_000n;
const SEQUENCE_BITS = 64;

/** Tries of one limit that the meter has gas for, at the least. */
const TRIES = 3n;
/** For the request's data and for what surrounds the tries; gas. */
const METER_GAS = 2_000_000n;

/** How the meter names the step that failed (`Step`), with ERC-4337's code of the same failure. */
const FAILURES = [
  undefined,
  'AA10 sender already constructed',
  'AA13 initCode failed or OOG',
  'AA14 initCode must return sender',
  'AA15 initCode must create sender',
  'AA20 account not deployed',
  'AA23 reverted',
  'execution reverted',
] as const;
const EXECUTION_FAILED = FAILURES.length - 1;

/** An operation whose gas is to be measured, with the paymaster fields that it is estimated with. */
export interface OperationGasRequest {
  /** With a signature of the length and kind that it will have. Its gas limits do not matter. */
  readonly operation: UserOperation;
  readonly entryPoint: Address;
  readonly paymaster: PaymasterFields;
  /** When the client is answered at the latest; milliseconds of the monotonic clock. */
  readonly deadlineMs?: number | undefined;
}

/** What the account's part of an operation takes at the least. */
export type OperationGasLimits = Pick<AccountGasLimits, 'verificationGasLimit' | 'callGasLimit'>;

/**
 * Measures an operation on the chain itself: `OperationMeter` stands in the EntryPoint's place for one `eth_call`, and
 * tries limits until the least is found. Needs no bundler, but a node that takes state overrides.
 *
 * Accounts and factories are strangers' code. Give it a separate provider, so that faults which that code causes at a
 * node do not count against other reads.
 */
export class OperationGas {
  constructor(
    private readonly provider: Pick<ChainProvider, 'ethCall' | 'chain'>,
    private readonly bounds: Pick<ChainBounds, 'maxCallGasLimit' | 'maxVerificationGasLimit'>,
  ) {}

  /**
   * @returns the least limits with which the operation works as the chain is now, without the paymaster's share of
   *   v0.6's verification limit; gas
   * @throws {SimulationFailedError} naming the failed step by its AA code, or the revert of the call
   * @throws {StateOverridesUnsupportedError} when the chain's nodes do not take state overrides
   * @throws {DependencyUnavailableError} `chain`, when it cannot be measured now
   */
  async measure(request: OperationGasRequest): Promise<OperationGasLimits> {
    const { operation, entryPoint, deadlineMs } = request;
    const { maxCallGasLimit, maxVerificationGasLimit } = this.bounds;
    const data = METER.encodeFunctionData('measure', [meterRequest(request, this.bounds)]) as Hex;
    const gas = TRIES * (maxCallGasLimit + maxVerificationGasLimit) + METER_GAS;
    const overrides = { ...delegationOf(operation), [entryPoint]: { code: operationMeterRuntimeBytecode } };
    const counting = this.assertNextNonce(request);
    // It may reject before the meter ends: without a handler by then, Node would end the process.
    const counted = counting.catch(() => undefined);
    // Over only when both are over, because the count of simulations under way includes the meter's.
    const outcome = await this.runMeter(() =>
      this.provider.ethCall({ to: entryPoint, data, gas }, parseOutcome, overrides, deadlineMs),
    ).finally(() => counted);
    await counting;
    if (outcome.failed !== 0) throw failureOf(outcome);
    const validation = outcome.validationGasUsed + entryPointGas(operation, request.paymaster);
    const { validationGasLimit, callGasLimit } = outcome;
    return { verificationGasLimit: validation > validationGasLimit ? validation : validationGasLimit, callGasLimit };
  }

  /** The meter stands in the place of the EntryPoint, which counts nonces. */
  private async assertNextNonce({ operation, entryPoint, deadlineMs }: OperationGasRequest): Promise<void> {
    const { sender, nonce } = operation;
    const data = NONCES.encodeFunctionData('getNonce', [sender, nonce >> BigInt(SEQUENCE_BITS)]) as Hex;
    const parse = (answer: unknown): bigint => parseWords(answer, 1, 'getNonce')[0] ?? 0n;
    const next = await this.provider.ethCall({ to: entryPoint, data }, parse, undefined, deadlineMs);
    if (next === nonce) return;
    const aaCode = 'AA25';
    throw new SimulationFailedError(
      'VALIDATION_SIMULATION_FAILED',
      `the operation's validation fails in simulation: AA25 invalid account nonce, the next is 0x${next.toString(16)}`,
      { aaCode },
    );
  }

  private async runMeter<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof CallRevertedError)) throw error;
      // The meter itself does not revert: either its code was not there, or the node gives less gas than was asked.
      if (!(await supportsStateOverrides(this.provider)))
        throw new StateOverridesUnsupportedError(this.provider.chain.chainId, { cause: error });
      throw new DependencyUnavailableError('chain', 'the gas of this operation cannot be measured', { cause: error });
    }
  }
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

function twoHalves(high: bigint, low: bigint): Hex {
  return `0x${((high << 128n) | low).toString(16).padStart(64, '0')}`;
}

function entryPointGas(operation: UserOperation, paymaster: PaymasterFields): bigint {
  const { entryPointVersion: version, callData, signature, nonce } = operation;
  const bytes = [initCodeOf(operation), callData, signature, encodePaymasterAndData({ version, ...paymaster })];
  const words = bytes.reduce((sum, part) => sum + ceilDiv(BigInt(byteLength(part)), 32n), 0n);
  const isFirst = BigInt.asUintN(SEQUENCE_BITS, nonce) === 0n;
  const ofNonce = isFirst ? FIRST_NONCE_GAS : NEXT_NONCE_GAS;
  return ENTRY_POINT_GAS[version] + WORD_GAS * words + ofNonce + (factoryOf(operation) ? CREATION_GAS : 0n);
}

/** The struct `Outcome` of OperationMeter. */
interface MeterOutcome {
  readonly failed: number;
  readonly returned: Hex;
  readonly validationGasUsed: bigint;
  readonly validationGasLimit: bigint;
  readonly callGasLimit: bigint;
}

function parseOutcome(answer: unknown): MeterOutcome {
  const bytes = parseBytes(answer, 'measure');
  try {
    const [outcome] = METER.decodeFunctionResult('measure', bytes).toArray() as [
      Omit<MeterOutcome, 'failed'> & { failed: bigint },
    ];
    const { failed, returned, validationGasUsed, validationGasLimit, callGasLimit } = outcome;
    return { failed: Number(failed), returned, validationGasUsed, validationGasLimit, callGasLimit };
  } catch {
    throw new UnexpectedAnswerError('measure');
  }
}

function failureOf({ failed, returned }: MeterOutcome): SimulationFailedError {
  const what = FAILURES[failed] ?? 'AA23 reverted';
  const reason = revertReason(returned);
  if (failed === EXECUTION_FAILED)
    return new SimulationFailedError(
      'EXECUTION_SIMULATION_FAILED',
      `the operation's call fails in simulation: ${reason}`,
      { revertData: returned },
    );
  const aaCode = what.slice(0, 4);
  return new SimulationFailedError(
    'VALIDATION_SIMULATION_FAILED',
    `the operation's validation fails in simulation: ${what}${failed === 2 || failed === 6 ? `: ${reason}` : ''}`,
    { aaCode, revertData: returned },
  );
}

const ERROR_SELECTOR = '0x08c379a0';
const PANIC_SELECTOR = '0x4e487b71';
const MAX_REASON_LENGTH = 300;

/** Solidity's `Error(string)` and `Panic(uint256)` in words; other revert data as hex. */
export function revertReason(data: Hex): string {
  if (data === '0x') return 'no reason given';
  try {
    const content = `0x${data.slice(10)}`;
    if (data.startsWith(ERROR_SELECTOR))
      return String(AbiCoder.defaultAbiCoder().decode(['string'], content)[0]).slice(0, MAX_REASON_LENGTH);
    if (data.startsWith(PANIC_SELECTOR)) {
      const [code] = AbiCoder.defaultAbiCoder().decode(['uint256'], content) as unknown as [bigint];
      return `panic 0x${code.toString(16)}`;
    }
  } catch {
    // Cut off, or not what its selector says.
  }
  return data.slice(0, MAX_REASON_LENGTH);
}
