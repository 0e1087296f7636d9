import {
  CallRevertedError,
  parseBytes,
  StateOverridesUnsupportedError,
  supportsStateOverrides,
  UnexpectedAnswerError,
  WAY_BYTE,
  type ChainProvider,
  type StateOverrides,
} from '@paymaster/chain';
import {
  paymasterPuppetRuntimeBytecode,
  tokenPaymentSimulatorAbi,
  tokenPaymentSimulatorRuntimeBytecode,
} from '@paymaster/contract-abis';
import { DependencyUnavailableError, type Address, type ChargingWay, type Hex } from '@paymaster/domain';
import { Interface, MaxUint256 } from 'ethers';

const SIMULATOR = new Interface(tokenPaymentSimulatorAbi);

/**
 * The most gas that the simulator gives a token: 500,000 for each of four views, and 2,000,000 for permit, payment and
 * refund each.
 */
const TOKEN_PATH_GAS = 8_000_000n;
/** The gas of a transaction itself, which some nodes charge for an `eth_call` too. */
const INTRINSIC_GAS = 21_000n;
/** The most gas of a byte of its data (EIP-7623), which they charge too. */
const DATA_BYTE_GAS = 40n;
/** A call passes on 63/64 of the gas, and the simulator needs twice that reserve; 1/16 is more than enough. */
const ROOM_DIVISOR = 16n;

/** The request of `TokenPaymentSimulator`, in the names of its struct (contracts/src/simulation). */
export interface TokenPaymentRequest {
  readonly senderCreator: Address;
  readonly initCode: Hex;
  /** The most gas that `initCode` may use. */
  readonly deploymentGas: bigint;
  readonly sender: Address;
  readonly callData: Hex;
  readonly callGasLimit: bigint;
  readonly token: Address;
  readonly paymaster: Address;
  readonly receiver: Address;
  readonly way: ChargingWay;
  readonly amount: bigint;
  readonly permit: Hex;
}

/** The outcome of paying in a token, had the operation been the next on chain. */
export interface TokenPathOutcome {
  /** The sender has code, now or before. */
  readonly deployed: boolean;
  /** The account exists and the operation's call did not revert. */
  readonly callsSucceeded: boolean;
  /** The return or revert data of the call, up to 1,024 bytes. */
  readonly callsReturned: Hex;
  /** The token moved exactly the amount and did not say false. */
  readonly paid: boolean;
  /** The token's answer to the payment, up to 256 bytes. */
  readonly paymentReturned: Hex;
  /** The sender's balance right before the payment. */
  readonly balanceBaseUnits: bigint;
  /** The paymaster's allowance right before the payment. */
  readonly allowanceBaseUnits: bigint;
  /** Gas of the token's call that pays, slots as cold as on chain. */
  readonly paymentGas: bigint;
  /** Gas of the token's call that refunds; null without a refund: way `batchApproval`, unpaid, or refused. */
  readonly refundGas: bigint | null;
}

/**
 * Runs `TokenPaymentSimulator` in one `eth_call`: its code stands at the EntryPoint's address, that of
 * `PaymasterPuppet` at the paymaster's.
 *
 * @param overrides accounts that also differ from the chain
 * @throws {StateOverridesUnsupportedError} when the chain's nodes do not take state overrides, or ignore them
 * @throws {DependencyUnavailableError} `chain`, when it can't be simulated now
 */
export async function simulateTokenPayment({
  provider,
  entryPoint,
  request,
  overrides,
  deadlineMs,
}: {
  provider: Pick<ChainProvider, 'ethCall' | 'chain'>;
  entryPoint: Address;
  request: TokenPaymentRequest;
  overrides?: StateOverrides;
  deadlineMs?: number | undefined;
}): Promise<TokenPathOutcome> {
  const data = SIMULATOR.encodeFunctionData('simulate', [{ ...request, way: WAY_BYTE[request.way] }]) as Hex;
  try {
    const simulator = {
      ...overrides,
      [request.paymaster]: { ...overrides?.[request.paymaster], code: paymasterPuppetRuntimeBytecode },
      [entryPoint]: { code: tokenPaymentSimulatorRuntimeBytecode },
    };
    const call = { to: entryPoint, data, gas: gasOf(request, data) };
    return await provider.ethCall(call, parseOutcome, simulator, deadlineMs);
  } catch (error) {
    if (!(error instanceof CallRevertedError)) throw error;
    // The simulator itself never reverts. So either its code was not there, or the node gave less gas than the call
    // asked for.
    if (!(await supportsStateOverrides(provider)))
      throw new StateOverridesUnsupportedError(provider.chain.chainId, { cause: error });
    throw new DependencyUnavailableError('chain', 'the token path of this operation cannot be simulated', {
      cause: error,
    });
  }
}

/** The gas that the simulation may use. Without a bound, a factory that loops keeps a node busy. */
function gasOf({ initCode, deploymentGas, callGasLimit }: TokenPaymentRequest, data: Hex): bigint {
  const operationGas = callGasLimit + (initCode === '0x' ? 0n : deploymentGas);
  const dataGas = DATA_BYTE_GAS * BigInt((data.length - 2) / 2);
  return INTRINSIC_GAS + dataGas + operationGas + operationGas / ROOM_DIVISOR + TOKEN_PATH_GAS;
}

function parseOutcome(returned: unknown): TokenPathOutcome {
  const bytes = parseBytes(returned, 'simulate');
  try {
    const [outcome] = SIMULATOR.decodeFunctionResult('simulate', bytes).toArray() as [SimulatorOutcome];
    return {
      deployed: outcome.deployed,
      callsSucceeded: outcome.callsSucceeded,
      callsReturned: outcome.callsReturned,
      paid: outcome.paid,
      paymentReturned: outcome.paymentReturned,
      balanceBaseUnits: outcome.balance,
      allowanceBaseUnits: outcome.allowance,
      paymentGas: outcome.paymentGas,
      refundGas: outcome.refundGas === MaxUint256 || outcome.refundGas === 0n ? null : outcome.refundGas,
    };
  } catch {
    throw new UnexpectedAnswerError('simulate');
  }
}

/** The struct `Outcome` as ethers decodes it. */
interface SimulatorOutcome {
  readonly deployed: boolean;
  readonly callsSucceeded: boolean;
  readonly callsReturned: Hex;
  readonly paid: boolean;
  readonly paymentReturned: Hex;
  readonly balance: bigint;
  readonly allowance: bigint;
  readonly paymentGas: bigint;
  readonly refundGas: bigint;
}
