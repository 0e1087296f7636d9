import { factoryOf, InvalidParamsError, type Address, type TraceLine, type UserOperation } from '@paymaster/domain';
import {
  assertAllowed,
  carriesEip7702Authorization,
  checkDeployed,
  claimsEip7702Delegation,
  type DecodeResult,
  type InnerCall,
} from '@paymaster/policy';
import { codeOf, lookAtAccount } from '../sponsorship/look-at-account';
import { assertSponsored, callsOf, type PolicyQuestion } from '../sponsorship/sponsorship-policy';
import type { TokenRegistry } from './token-registry';

/** `approve(address spender, uint256 amount)` of ERC-20. */
const APPROVE = '0x095ea7b3';
const APPROVE_DATA_LENGTH = 2 + 2 * (4 + 32 + 32);

/** An operation that is to be paid in tokens. */
export interface TokenPolicyQuestion extends PolicyQuestion {
  readonly registry: TokenRegistry;
  /** Whom clients approve in their batch. */
  readonly paymasterContract: Address;
  /** Nothing is signed for it: nobody is asked what the account runs, where any call may be paid for. */
  readonly isQuote?: boolean;
}

/**
 * Whether what the operation does may be paid in tokens: anything that the account does, because the user pays; or, where the paymaster
 * says so, what it would sponsor too, and the approval of the paymaster that the payment itself needs.
 *
 * @returns the trace so far
 * @throws {SponsorshipRefusedError}
 * @throws {InvalidParamsError} for an operation that delegates by EIP-7702
 */
export async function assertPayableInTokens(question: TokenPolicyQuestion): Promise<readonly TraceLine[]> {
  assertNoDelegation(question.operation);
  const { caller, operation, isQuote = false } = question;
  if (caller.paymaster.snapshot.settings.tokenMode === 'anyCall') {
    if (isQuote || factoryOf(operation)) return [];
    return assertAllowed(checkDeployed({ operation, hasCode: (await codeOf(question)) !== undefined }));
  }
  const decoded = withoutApprovals(callsOf(question), question);
  return assertSponsored(question, { decoded, accountFacts: await lookAtAccount({ ...question, decoded }) });
}

/** What the account will run has to be on chain already: the payment is simulated there. */
function assertNoDelegation(operation: UserOperation): void {
  if (!claimsEip7702Delegation(operation)) return;
  const field = `params[0].${carriesEip7702Authorization(operation) ? 'eip7702Auth' : 'factory'}`;
  throw new InvalidParamsError(
    field,
    `${field} is not taken in token mode: delegate with a sponsored operation or a transaction first.`,
  );
}

function withoutApprovals(decoded: DecodeResult, question: TokenPolicyQuestion): DecodeResult {
  if (!decoded.understood) return decoded;
  return { ...decoded, calls: decoded.calls.filter((call) => !isApproval(call, question)) };
}

/** Exactly `approve(paymaster, amount)` on a token that fees are paid in, with no coin. */
function isApproval({ to, data, valueWei }: InnerCall, { registry, paymasterContract }: TokenPolicyQuestion): boolean {
  if (valueWei > 0n || data.length !== APPROVE_DATA_LENGTH || !registry.byAddress.has(to)) return false;
  return data.startsWith(`${APPROVE}${'0'.repeat(24)}${paymasterContract.slice(2)}`);
}
