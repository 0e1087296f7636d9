import { SimulationFailedError } from '@paymaster/domain';
import { callsOf, type PolicyQuestion } from '../rules/sponsorship-policy';

/**
 * Waits for a simulation. Where the operation's call fails, and the account has fewer coins than its calls send, the
 * error says so.
 *
 * @throws what the simulation throws
 */
export async function namingMissingCoins<T>(question: PolicyQuestion, working: Promise<T>): Promise<T> {
  try {
    return await working;
  } catch (error) {
    if (!(error instanceof SimulationFailedError) || error.reason !== 'EXECUTION_SIMULATION_FAILED') throw error;
    throw (await missingCoins(question, error)) ?? error;
  }
}

async function missingCoins(
  question: PolicyQuestion,
  { reason, details, cause }: SimulationFailedError,
): Promise<SimulationFailedError | undefined> {
  const { caller, operation } = question;
  const decoded = callsOf(question);
  const neededWei = decoded.understood ? decoded.calls.reduce((sum, { valueWei }) => sum + valueWei, 0n) : 0n;
  if (neededWei === 0n) return undefined;
  // Nobody knows the balance then, so the error stays as it is.
  const asking = caller.chain.coins.balanceWei(operation.sender, caller.deadlineMs);
  const balanceWei = await asking.catch(() => undefined);
  if (balanceWei === undefined || balanceWei >= neededWei) return undefined;
  return new SimulationFailedError(
    reason,
    `the operation's call fails in simulation: its calls send ${neededWei} wei, and the account has ${balanceWei} wei`,
    { ...details, balanceWei: balanceWei.toString(), neededWei: neededWei.toString() },
    { cause },
  );
}
