import { factoryOf, InvalidParamsError, type Address, type TraceLine, type UserOperation } from '@paymaster/domain';
import { traceIfAllowed, checkAccount, hasEip7702Marker, type DecodeResult, type InnerCall } from '@paymaster/policy';
import { lookAtAccount } from '../facts/look-at-account';
import { judgeCalls, callsOf, type AccountFacts, type PolicyQuestion } from '../rules/sponsorship-policy';
import type { TokenRegistry } from '../../chains/token-registry';

/** `approve(address spender, uint256 amount)` of ERC-20. */
const APPROVE = '0x095ea7b3';
const APPROVE_DATA_LENGTH = 2 + 2 * (4 + 32 + 32);

/** An operation whose sender wants to pay in tokens. */
export interface TokenPolicyQuestion extends PolicyQuestion {
  readonly registry: TokenRegistry;
  /** The contract that clients approve in their batch. */
  readonly paymasterContract: Address;
  /**
   * True: nothing will be signed, so the authorization may have a placeholder for a signature, as the operation has.
   */
  readonly isStub?: boolean;
  /** Like the facts of a sponsored operation, but without reading the account's code if the token mode is `anyCall`. */
  readonly isQuote?: boolean;
}

/** Facts of an operation that may be paid in tokens. */
export interface PayableOperation {
  readonly trace: readonly TraceLine[];
  /** Undefined for a quote of any call, which looks at no account. */
  readonly accountFacts: AccountFacts | undefined;
}

/**
 * Decides whether the operation may be paid in tokens. With `anyCall` every call may, because the user pays. With
 * `whitelistedCalls` only the calls that the paymaster would sponsor may, and the approval that the payment itself
 * needs. In both cases, an account that delegates by EIP-7702 may pay only if a policy lists its delegate.
 *
 * @throws {SponsorshipRefusedError}
 * @throws {InvalidParamsError} for an authorization that the account did not sign, and for data that is not simulated
 */
export async function judgeTokenPayment(question: TokenPolicyQuestion): Promise<PayableOperation> {
  const { caller, operation, isQuote = false } = question;
  assertNothingBehindMarker(operation);
  const isStub = isQuote || question.isStub === true;
  if (caller.paymaster.snapshot.settings.tokenMode === 'anyCall') {
    if (isQuote) return { trace: [], accountFacts: undefined };
    const accountFacts = await lookAtAccount({ caller, operation, isStub });
    const trace = traceIfAllowed(checkAccount({ operation, policy: caller.paymaster.policy, ...accountFacts }));
    return { trace, accountFacts };
  }
  const decoded = withoutApprovals(callsOf(question), question);
  const accountFacts = await lookAtAccount({ caller, operation, decoded, isStub });
  const trace = judgeCalls(question, { decoded, accountFacts });
  return { trace, accountFacts };
}

/**
 * The EntryPoint calls the delegate with this data before the first validation; the simulation of the payment does not.
 */
function assertNothingBehindMarker(operation: UserOperation): void {
  if (!hasEip7702Marker(operation) || factoryOf(operation)?.factoryData === '0x') return;
  const field = 'params[0].factoryData';
  throw new InvalidParamsError(field, `${field} is not taken in token mode behind the EIP-7702 marker.`);
}

function withoutApprovals(decoded: DecodeResult, question: TokenPolicyQuestion): DecodeResult {
  if (!decoded.understood) return decoded;
  return { ...decoded, calls: decoded.calls.filter((call) => !isApproval(call, question)) };
}

/** Whether a call is exactly `approve(paymaster, amount)` on a token in which fees are paid, and sends no coin. */
function isApproval({ to, data, valueWei }: InnerCall, { registry, paymasterContract }: TokenPolicyQuestion): boolean {
  if (valueWei > 0n || data.length !== APPROVE_DATA_LENGTH || !registry.byAddress.has(to)) return false;
  return data.startsWith(`${APPROVE}${'0'.repeat(24)}${paymasterContract.slice(2)}`);
}
