import type { UserOperation } from '@paymaster/domain';
import type { Caller } from '../../../callers/caller';
import type { OperationRequest } from '../../operations/operations.service';
import type { WantedValidity } from '../../../decide/terms/validity';
import { detectEntryPointVersion } from '../../user-operation/detect-entry-point-version';
import { namedVersion, servedVersions } from '../../user-operation/named-entry-point';
import { parseUserOperation } from '../../user-operation/parse-user-operation';
import type { RawUserOperation } from '../../user-operation/raw-user-operation';
import type { RequestedMode } from './parse-mode';

/**
 * The operation of `params[0]`, for the EntryPoint that is named or follows from its fields or the paymaster's version.
 *
 * @throws {InvalidParamsError} naming the field
 */
export function operationFor(
  raw: RawUserOperation,
  { caller, entryPoint }: { caller: Caller; entryPoint: { address: string; field: string } | undefined },
): UserOperation {
  const { config: chain } = caller.chain;
  const { paymasterVersion } = caller.paymaster.snapshot;
  const named = entryPoint && namedVersion(entryPoint.address, chain, entryPoint.field);
  const version = detectEntryPointVersion(raw, { named, served: servedVersions(chain), paymasterVersion });
  const served = chain.entryPoints[version];
  const reserved = served ? [served.entryPoint, served.paymaster] : [];
  return parseUserOperation(raw, { version, reserved, chainId: chain.chainId });
}

/** Turns what a dialect has read into the gateway's own request type, which is the same for all dialects. */
export function operationRequest({
  caller,
  operation,
  mode,
  calculateGasLimits,
  expiry,
  refuseExpiredQuote,
}: {
  caller: Caller;
  operation: UserOperation;
  mode: RequestedMode;
  calculateGasLimits: boolean;
  expiry: WantedValidity;
  refuseExpiredQuote: boolean;
}): OperationRequest {
  const { account } = mode;
  if (mode.mode === 'ERC20') {
    const { tokens, permit, maxTokenCharge, field, expirySeconds } = mode;
    const asked = { caller, operation, account, calculateGasLimits, expirySeconds, refuseExpiredQuote };
    return { ...asked, mode: 'token', tokens, permit, maxTokenCharge, field };
  }
  return { mode: 'sponsored', caller, operation, account, calculateGasLimits, expiry, webhookData: mode.webhookData };
}
