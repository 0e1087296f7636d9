import { isPacked, type Hex } from '@paymaster/domain';
import type { Estimate } from '../../../bundlers/estimate-limits';
import type { JsonSchema, RpcMethod } from '../../json-rpc/rpc-method';
import { presentFees, suggestedFees, wireFeeProperties } from '../common/suggested-fees';
import { hexQuantity } from '../common/primitives';
import { bundlerRequest, type BundlerRequest } from './parse';
import { estimateParams } from './params.schema';

/** The limits that the client sets, and on Biconomy's address the fees. */
type EstimateResult = Readonly<Record<string, Hex>>;

const schema: JsonSchema = {
  title: 'GasEstimate',
  type: 'object',
  required: ['callGasLimit', 'verificationGasLimit', 'preVerificationGas'],
  properties: {
    callGasLimit: hexQuantity,
    verificationGasLimit: hexQuantity,
    verificationGas: { ...hexQuantity, description: 'EntryPoint v0.6: the same, as old clients call it' },
    preVerificationGas: hexQuantity,
    paymasterVerificationGasLimit: { ...hexQuantity, description: 'EntryPoint v0.7 and later, with a paymaster' },
    paymasterPostOpGasLimit: { ...hexQuantity, description: 'EntryPoint v0.7 and later, with a paymaster' },
    ...wireFeeProperties,
  },
};

/**
 * ERC-7769: gas limits that neither this gateway nor the bundler refuses while state and fees stay the same. An
 * operation that this gateway has signed gets the signed limits.
 */
export const ethEstimateUserOperationGas: RpcMethod<BundlerRequest, EstimateResult> = {
  name: 'eth_estimateUserOperationGas',
  summary: 'Gas limits for an operation (ERC-7769).',
  params: estimateParams,
  result: { name: 'gasEstimate', schema },
  refusals: ['request', 'caller', 'operation', 'bundlerUse', 'bundler'],

  parse: bundlerRequest,

  async answer(request, { bundling }) {
    const { caller, complete, overrides } = request;
    return present(request, await bundling.estimate(caller, complete, overrides));
  },
};

function present(request: BundlerRequest, { limits, paymasterLimits }: Estimate): EstimateResult {
  const { callGasLimit, verificationGasLimit, preVerificationGas } = limits;
  const isV06 = !isPacked(request.complete.operation);
  const named = {
    ...{ callGasLimit, verificationGasLimit, preVerificationGas },
    ...(isV06 ? { verificationGas: verificationGasLimit } : paymasterLimits),
  };
  const inHex = Object.fromEntries(Object.entries(named).map(([name, gas]) => [name, `0x${gas.toString(16)}` as Hex]));
  return { ...inHex, ...feesOf(request) };
}

/**
 * Biconomy's SDK takes fees from the estimate, and fails without them. Other SDKs overwrite fees with them that are
 * signed already. So an operation that has fees gets its own fees back.
 */
function feesOf({ caller, complete: { operation } }: BundlerRequest): Partial<ReturnType<typeof presentFees>> {
  if (!caller.isBiconomysAddress || isPacked(operation)) return {};
  return presentFees(operation.maxFeePerGas > 0n ? operation : suggestedFees(caller));
}
