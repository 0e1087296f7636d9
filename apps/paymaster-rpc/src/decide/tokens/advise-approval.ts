import { refusedAfter, SimulationFailedError, type Address, type Hex } from '@paymaster/domain';
import type { TriedCall } from '@paymaster/gas';
import { inTurn } from '../limits/in-turn';
import { sponsorTerms } from '../terms/sponsor-terms';
import { callsOf, type PolicyQuestion } from '../rules/sponsorship-policy';
import { mayApprove, type Approval } from './approvals';
import { AllowanceTooLowError } from './token-refusals';

/** `approve(address spender, uint256 amount)` of ERC-20. */
const APPROVE = '0x095ea7b3';

/**
 * Waits for a payment. Where it is refused for want of an approval, the advice stays only if the chain's nodes say that
 * it works. Tokens like USDT refuse to change an allowance that is not zero: then the advice is `approve(spender, 0)`
 * first, also where the operation's own approval fails.
 *
 * @throws what the payment throws
 */
export async function advisingApproval<T>(
  question: PolicyQuestion & { readonly token: Address },
  working: Promise<T>,
): Promise<T> {
  try {
    return await working;
  } catch (error) {
    const isOfApproval = error instanceof AllowanceTooLowError || error instanceof SimulationFailedError;
    if (!isOfApproval) throw error;
    const { caller, operation, token } = question;
    const needed = { token, spender: sponsorTerms(caller, operation.entryPointVersion).paymaster };
    if (error instanceof AllowanceTooLowError) throw refusedAfter(error.found, await adviceOf(question, needed, error));
    const isOfCalls = error.reason === 'EXECUTION_SIMULATION_FAILED';
    throw (isOfCalls && (await resetFirst(question, needed, error))) || error;
  }
}

async function adviceOf(question: PolicyQuestion, needed: Approval, error: AllowanceTooLowError): Promise<Error> {
  const [once, reset] = [approve(needed, 1n), approve(needed, 0n)];
  const works = await succeed(question, [once]);
  // Nobody knows where nodes can't simulate it.
  if (works !== false) return error;
  if (await succeed(question, [reset, once])) return error.advising(`${howToReset(needed)}, then ${error.advice}`);
  return error.advising('');
}

/** @returns undefined where resetting the allowance would not make the calls succeed */
async function resetFirst(
  question: PolicyQuestion,
  needed: Approval,
  { reason, message, details, cause }: SimulationFailedError,
): Promise<SimulationFailedError | undefined> {
  const decoded = callsOf(question);
  if (!decoded.understood || !mayApprove(decoded, needed)) return undefined;
  // Calls that fail for a reason of their own may succeed in a trial without the payment.
  if ((await succeed(question, decoded.calls)) !== false) return undefined;
  if (!(await succeed(question, [approve(needed, 0n), ...decoded.calls]))) return undefined;
  const advice = `the token refuses to change an allowance that is not zero: ${howToReset(needed)}`;
  return new SimulationFailedError(reason, `${message}; ${advice}`, details, { cause });
}

const howToReset = ({ token, spender }: Approval): string => `call approve(${spender}, 0) on ${token} first`;

function approve({ token, spender }: Approval, amount: bigint): TriedCall {
  const words = [spender.slice(2), amount.toString(16)].map((word) => word.padStart(64, '0'));
  const data: Hex = `${APPROVE}${words.join('')}`;
  return { to: token, valueWei: 0n, data };
}

/** @returns whether the account could make these calls now; undefined where nobody can say */
async function succeed(
  { caller, operation }: PolicyQuestion,
  calls: readonly TriedCall[],
): Promise<boolean | undefined> {
  const { chain, deadlineMs } = caller;
  const gas = chain.config.bounds.maxCallGasLimit;
  try {
    return await inTurn(caller, () => chain.trial.succeeds({ sender: operation.sender, calls, gas, deadlineMs }));
  } catch {
    return undefined;
  }
}
