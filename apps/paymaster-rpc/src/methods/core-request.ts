import { InvalidParamsError, type UserOperation } from '@paymaster/domain';
import type { Caller } from '../callers/caller';
import type { RawUserOperation } from '../user-operation/raw-user-operation';
import { operationFor } from './operation-for';
import { parseMode, type RawMode } from './parse-mode';
import type { RequestedMode, SponsoredMode, TokenMode } from './requested-mode';

interface RequestIn<Mode extends RequestedMode> {
  readonly caller: Caller;
  readonly operation: UserOperation;
  readonly mode: Mode;
  /** Where the mode object stands, for errors. */
  readonly modeField: string;
}

export type SponsorshipRequest = RequestIn<SponsoredMode>;
export type TokenModeRequest = RequestIn<TokenMode>;

/** What both methods of the core dialect are asked with. */
export type CoreRequest = SponsorshipRequest | TokenModeRequest;

export function isInTokenMode(request: CoreRequest): request is TokenModeRequest {
  return request.mode.mode === 'ERC20';
}

/**
 * @param params `[operation, mode]`, or `[operation, entryPoint, mode]` as clients of other services send it
 * @throws {InvalidParamsError} naming the field
 */
export function parseCoreRequest(params: readonly unknown[], caller: Caller): CoreRequest {
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
  return { caller, operation: operationFor(raw, { caller, entryPoint }), mode, modeField } as CoreRequest;
}
