import { STUB_SIGNATURE } from '@paymaster/chain';
import type { UserOperation } from '@paymaster/domain';
import type { Caller } from '../../../callers/caller';
import type { OperationRequest } from '../../operations/operations.service';
import type { Fees } from '../../../decide/terms/assumed-fees';
import type { MeasuredQuestion } from '../../../decide/limits/unset-limits';
import { promisedValidity } from '../../../decide/terms/validity';
import { parseQuantity, type RawQuantity } from '../../user-operation/quantity';
import type { RawUserOperation } from '../../user-operation/raw-user-operation';
import { assertKeysChain } from '../common/keys-chain';
import { namedPolicies, type NamesPolicies } from '../common/named-policies';
import { parseContext, type RawMode } from '../common/parse-mode';
import { operationFor, operationRequest } from '../common/parse-operation';

/** A request to a method of ERC-7677. */
export type Erc7677Request = OperationRequest & {
  /** On EntryPoint v0.9: the client wants the paymaster's signature at the end of the data. */
  readonly wantsSignatureInData: boolean;
};

/** A request for a stub, and the fees that were sent with it. */
export type Erc7677Stub = Erc7677Request & Pick<MeasuredQuestion, 'sentFees'>;

/**
 * Reads the params of the stub call. Their fees are not the operation's, because these are placeholders, which may even
 * be fees that no operation can have.
 *
 * @throws what {@link parseErc7677Request} throws
 */
export function parseErc7677Stub([raw, ...others]: readonly unknown[], caller: Caller): Erc7677Stub {
  const { maxFeePerGas, maxPriorityFeePerGas, ...operation } = raw as RawUserOperation;
  const request = parseErc7677Request([operation, ...others], caller);
  return { ...request, sentFees: feesOf(maxFeePerGas, maxPriorityFeePerGas) };
}

/** The fees, if an operation can have them. */
function feesOf(fee: RawQuantity, tip: RawQuantity): Fees | undefined {
  const maxFeePerGas = parseQuantity(fee ?? undefined, { field: 'params[0].maxFeePerGas', bits: 256 });
  const maxPriorityFeePerGas = parseQuantity(tip ?? undefined, { field: 'params[0].maxPriorityFeePerGas', bits: 256 });
  const isPossible = maxFeePerGas > 0n && maxPriorityFeePerGas <= maxFeePerGas && maxFeePerGas >> 128n === 0n;
  return isPossible ? { maxFeePerGas, maxPriorityFeePerGas } : undefined;
}

/**
 * Reads the params of both ERC-7677 methods. The gateway calculates gas limits only if the context asks for that and a
 * limit is missing: by default the client's bundler estimates them.
 *
 * @throws {InvalidParamsError} naming the field, also when the chain is not the chain of the API key
 */
export function parseErc7677Request(params: readonly unknown[], caller: Caller): Erc7677Request {
  const [raw, entryPoint, chainId, context] = params as [
    RawUserOperation,
    string,
    string | number,
    (RawMode & NamesPolicies) | null,
  ];
  assertKeysChain(chainId, { caller, field: 'params[2]' });
  const mode = parseContext(context, 'params[3]');
  const operation = operationFor(raw, { caller, entryPoint: { address: entryPoint, field: 'params[1]' } });
  const promised = promisedValidity(operation.entryPointVersion, raw.paymasterData);
  const names = { caller, field: 'params[3]', besideToken: mode.mode === 'ERC20' && !context?.erc20Context };
  const policyIds = namedPolicies(context ?? {}, names);
  const request = operationRequest({
    caller,
    operation,
    mode,
    calculateGasLimits: context?.calculateGasLimits === true && lacksGasLimit(operation),
    expiry: { seconds: mode.expirySeconds, field: 'params[3].expiryDuration', promised },
    // Clients of ERC-7677 do not ask for quotes. So an expired quote of the operation is another client's, and is no
    // reason to refuse.
    refuseExpiredQuote: false,
  });
  const needsSignatureNow = wantsSignatureInData(raw);
  const asked = { ...request, wantsSignatureInData: needsSignatureNow };
  return asked.mode === 'sponsored' ? { ...asked, needsSignatureNow, ...(policyIds && { policyIds }) } : asked;
}

/**
 * Whether the client sent the stub of `pm_supportedERC20Tokens`. On EntryPoint v0.9 Candide's clients send no other
 * stub.
 */
function wantsSignatureInData({ paymasterData, paymasterSignature }: RawUserOperation): boolean {
  return !paymasterSignature && paymasterData?.toLowerCase().endsWith(STUB_SIGNATURE.slice(2)) === true;
}

function lacksGasLimit({ callGasLimit, verificationGasLimit, preVerificationGas }: UserOperation): boolean {
  return callGasLimit === 0n || verificationGasLimit === 0n || preVerificationGas === 0n;
}
