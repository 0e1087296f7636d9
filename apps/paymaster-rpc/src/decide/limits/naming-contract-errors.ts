import { SimulationFailedError, type Hex } from '@paymaster/domain';
import { raisedError, revertReason } from '@paymaster/gas';
import type { Caller } from '../../callers/caller';

/**
 * Waits for a simulation. Where it fails with a custom error of a contract that the paymaster has registered, the error
 * says so by name and arguments, in its message and as `contractError`.
 *
 * @throws what the simulation throws
 */
export async function namingContractErrors<T>(
  { paymaster }: Pick<Caller, 'paymaster'>,
  working: Promise<T>,
): Promise<T> {
  try {
    return await working;
  } catch (error) {
    throw error instanceof SimulationFailedError ? named(error, paymaster) : error;
  }
}

function named(error: SimulationFailedError, { snapshot }: Caller['paymaster']): SimulationFailedError {
  const { reason, message, details, cause } = error;
  const revertData = details['revertData'] as Hex | undefined;
  const contractError = revertData && raisedError(revertData, snapshot.contractErrors);
  if (!contractError) return error;
  const inHex = revertReason(revertData);
  const inWords = revertReason(revertData, snapshot.contractErrors);
  const told = message.includes(inHex) ? message.replace(inHex, () => inWords) : `${message}: ${inWords}`;
  return new SimulationFailedError(reason, told, { ...details, revertReason: inWords, contractError }, { cause });
}
