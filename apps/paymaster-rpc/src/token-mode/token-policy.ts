import type { Address, TraceLine } from '@paymaster/domain';
import type { DecodeResult, InnerCall } from '@paymaster/policy';
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
}

/**
 * Whether what the operation does may be paid in tokens: anything, because the user pays; or, where the paymaster
 * says so, what it would sponsor too, and the approval of the paymaster that the payment itself needs.
 *
 * @returns the trace so far
 * @throws {SponsorshipRefusedError}
 */
export async function assertPayableInTokens(question: TokenPolicyQuestion): Promise<readonly TraceLine[]> {
  if (question.caller.paymaster.snapshot.settings.tokenMode === 'anyCall') return [];
  return assertSponsored(question, withoutApprovals(callsOf(question), question));
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
