import { InvalidParamsError } from '@paymaster/domain';
import type { Caller } from '../../../callers/caller';
import type { OperationRequest } from '../../operations/operations.service';
import type { RawUserOperation } from '../../user-operation/raw-user-operation';
import type { ModeName } from '../common/mode.schema';
import { parseMode, type RawMode } from '../common/parse-mode';
import { operationFor, operationRequest } from '../common/parse-operation';

/** A request to one of Biconomy's methods. */
export type BiconomyRequest = OperationRequest & {
  /** The mode as requested, to be echoed. */
  readonly echo: ModeName;
  /**
   * Whether the EntryPoint stands before the object of the token mode, as Etherspot's client writes it. That client
   * passes the answer to its bundler unchanged, and bundlers refuse decimal digits.
   */
  readonly wantsHex: boolean;
};

/**
 * Whether params name a mode, or have an object from which the mode follows. Params with an EntryPoint alone are of
 * Pimlico's clients.
 */
export function namesMode([, second, third]: readonly unknown[]): boolean {
  if (typeof second !== 'string') return true;
  const { mode, sponsorshipInfo, tokenInfo } = (third ?? {}) as RawMode;
  return (mode ?? sponsorshipInfo ?? tokenInfo ?? undefined) !== undefined;
}

/**
 * @param params `[operation, mode]`, or `[operation, entryPoint, mode]` as clients of other services send it
 * @throws {InvalidParamsError} naming the field
 */
export function parseBiconomyRequest(params: readonly unknown[], caller: Caller): BiconomyRequest {
  const [raw, second, third] = params as [RawUserOperation, RawMode | string, RawMode | undefined];
  const named = typeof second === 'string';
  if (!named && third !== undefined) {
    throw new InvalidParamsError('params', 'params must be an array of 2 elements (userOperation, mode).');
  }
  const rawMode = named ? (third ?? {}) : second;
  const modeField = named ? 'params[2]' : 'params[1]';
  const mode = parseMode(rawMode, modeField);
  const entryPoint = named
    ? { address: second, field: 'params[1]' }
    : rawMode.entryPoint !== undefined
      ? { address: rawMode.entryPoint, field: `${modeField}.entryPoint` }
      : undefined;
  const request = operationRequest({
    caller,
    operation: operationFor(raw, { caller, entryPoint }),
    mode,
    calculateGasLimits: mode.calculateGasLimits,
    expiry: { seconds: mode.expirySeconds, field: `${modeField}.expiryDuration` },
    refuseExpiredQuote: true,
  });
  return { ...request, echo: mode.mode, wantsHex: named && mode.mode === 'ERC20' };
}
