import { InvalidParamsError } from '@paymaster/domain';
import type { Caller } from '../../../callers/caller';
import type { OperationRequest } from '../../operations/operations.service';
import type { RawUserOperation } from '../../user-operation/raw-user-operation';
import { namedPolicies, type NamesPolicies } from '../common/named-policies';
import { parseContext, type RawMode } from '../common/parse-mode';
import { operationFor, operationRequest } from '../common/parse-operation';

/** The context after the EntryPoint, after the schema has checked it. */
type RawSponsorContext = RawMode &
  NamesPolicies & {
    readonly type?: 'payg' | 'erc20token';
    readonly validForSeconds?: number;
  };

const CONTEXT = 'params[2]';

/**
 * `[userOp, entryPoint]` with or without a context: paid in a token if the context names a token, else sponsored.
 * Limits are calculated, because the clients take them from the answer.
 *
 * @throws {InvalidParamsError} naming the field
 */
export function parsePimlicoRequest(params: readonly unknown[], caller: Caller): OperationRequest {
  const [raw, entryPoint, context] = params as [RawUserOperation, string, RawSponsorContext | null | undefined];
  const { type, token, validForSeconds } = context ?? {};
  if (type === 'erc20token' && !token) throw new InvalidParamsError(`${CONTEXT}.token`, `${CONTEXT}.token is missing.`);
  if (type === 'payg' && token) {
    throw new InvalidParamsError(`${CONTEXT}.type`, `${CONTEXT}.type must be erc20token, or left out, beside token.`);
  }
  const mode = parseContext(context, CONTEXT);
  const policyIds = namedPolicies(context ?? {}, { caller, field: CONTEXT, besideToken: Boolean(token) });
  const seconds = validForSeconds ?? mode.expirySeconds;
  const request = operationRequest({
    caller,
    operation: operationFor(raw, { caller, entryPoint: { address: entryPoint, field: 'params[1]' } }),
    mode: { ...mode, expirySeconds: seconds },
    calculateGasLimits: mode.calculateGasLimits,
    expiry: { seconds, field: `${CONTEXT}.${validForSeconds === undefined ? 'expiryDuration' : 'validForSeconds'}` },
    // These clients do not ask for quotes. So an expired quote of the operation is another client's, and is no reason
    // to refuse.
    refuseExpiredQuote: false,
  });
  return request.mode === 'sponsored' ? { ...request, policyIds } : request;
}
