import { CallRevertedError, encodePaymasterAndData, type ChainProvider } from '@paymaster/chain';
import { initCodeOf, type Address, type Hex, type UserOperationV06 } from '@paymaster/domain';
import { Interface } from 'ethers';
import type { PaymasterFields } from './wire-user-operation';

/** Enough for any account the gateway would sponsor; only the simulation runs with it. */
const SIMULATION_VERIFICATION_GAS = 5_000_000n;

/** EntryPoint v0.6: `simulateValidation` always reverts, and its result is in the revert data. */
const ENTRY_POINT = new Interface([
  'function simulateValidation((address sender,uint256 nonce,bytes initCode,bytes callData,uint256 callGasLimit,uint256 verificationGasLimit,uint256 preVerificationGas,uint256 maxFeePerGas,uint256 maxPriorityFeePerGas,bytes paymasterAndData,bytes signature) userOp)',
  'error ValidationResult((uint256 preOpGas,uint256 prefund,bool sigFailed,uint48 validAfter,uint48 validUntil,bytes paymasterContext) returnInfo,(uint256 stake,uint256 unstakeDelaySec) senderInfo,(uint256 stake,uint256 unstakeDelaySec) factoryInfo,(uint256 stake,uint256 unstakeDelaySec) paymasterInfo)',
]);

/**
 * Measures the gas that validation of a v0.6 operation really takes. Bundlers pad this limit generously (alto by half),
 * and v0.6 counts it three times in the prefund, so padding ties up deposit for nothing.
 */
export class V06VerificationGas {
  constructor(private readonly provider: Pick<ChainProvider, 'ethCall'>) {}

  /**
   * The gas of deploying the account, of its validation and of ours; undefined if the chain gives no answer. In that
   * case the gateway signs the bundler's limit, and a validation that fails is reported by the bundler.
   */
  async measure(request: {
    operation: UserOperationV06;
    entryPoint: Address;
    paymaster: PaymasterFields;
    deadlineMs?: number | undefined;
  }): Promise<bigint | undefined> {
    const data = simulationCall(request.operation, request.paymaster);
    try {
      await this.provider.ethCall({ to: request.entryPoint, data }, () => undefined, undefined, request.deadlineMs);
      return undefined;
    } catch (error) {
      return error instanceof CallRevertedError ? preOpGasOf(error.data) : undefined;
    }
  }
}

/** Fees of 1 wei, so that the deposit never decides; no preVerificationGas, which would only be added to the result. */
function simulationCall(operation: UserOperationV06, paymaster: PaymasterFields): Hex {
  return ENTRY_POINT.encodeFunctionData('simulateValidation', [
    {
      ...operation,
      initCode: initCodeOf(operation),
      callGasLimit: 0n,
      verificationGasLimit: SIMULATION_VERIFICATION_GAS,
      preVerificationGas: 0n,
      maxFeePerGas: 1n,
      maxPriorityFeePerGas: 1n,
      paymasterAndData: encodePaymasterAndData({ version: '0.6', ...paymaster }),
    },
  ]) as Hex;
}

/** Nodes put revert data into `error.data`, some as text around it. */
function preOpGasOf(data: unknown): bigint | undefined {
  const bytes = typeof data === 'string' ? /0x[0-9a-fA-F]+/.exec(data)?.[0] : undefined;
  if (!bytes?.startsWith(ENTRY_POINT.getError('ValidationResult')?.selector ?? '-')) return undefined;
  const [returnInfo] = ENTRY_POINT.decodeErrorResult('ValidationResult', bytes) as unknown as [{ preOpGas: bigint }];
  return returnInfo.preOpGas;
}
