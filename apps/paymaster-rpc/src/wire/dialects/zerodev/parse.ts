import { InvalidParamsError } from '@paymaster/domain';
import type { Caller } from '../../../callers/caller';
import type { TokenRequest } from '../../../decide/tokens/named-tokens';
import type { RawUserOperation } from '../../user-operation/raw-user-operation';
import { assertKeysChain } from '../common/keys-chain';
import { fieldsIn, readAsSent, type NestedRequest } from '../common/nested-operation';
import { parseContext, type RequestedMode } from '../common/parse-mode';
import { operationFor, operationRequest } from '../common/parse-operation';
import { suggestedFees } from '../common/suggested-fees';

interface RawRequest {
  readonly chainId: string | number;
  readonly entryPointAddress: string;
  readonly userOp: RawUserOperation;
  readonly gasTokenData?: { readonly tokenAddress: string } | null;
  readonly tokenAddress?: string;
  readonly shouldOverrideFee?: boolean | null;
  readonly shouldConsume?: boolean | null;
}

/**
 * `zd_sponsorUserOperation`: paid in a token if the client names a token. The gateway chooses the fees if the client
 * asks for that or sends no fees.
 *
 * @throws {InvalidParamsError} naming the field
 */
export function parseSponsor(params: readonly unknown[], caller: Caller): NestedRequest {
  const [raw] = params as [RawRequest];
  if (raw.shouldConsume === false) {
    const field = 'params[0].shouldConsume';
    throw new InvalidParamsError(field, `${field} must be true: what is signed counts against the limits.`);
  }
  const token = raw.gasTokenData?.tokenAddress ?? null;
  const mode = modeOf(token, 'params[0].gasTokenData.tokenAddress');
  return requestOf(raw, { caller, mode, overridesFees: raw.shouldOverrideFee === true });
}

/** `stackup_getERC20TokenQuotes`. @throws {InvalidParamsError} naming the field */
export function parseQuote(params: readonly unknown[], caller: Caller): NestedRequest<TokenRequest> {
  const [raw] = params as [RawRequest];
  const mode = modeOf(raw.tokenAddress ?? null, 'params[0].tokenAddress');
  const request = requestOf(raw, { caller, mode, overridesFees: false });
  if (request.mode === 'token') return request;
  throw new InvalidParamsError('params[0].tokenAddress', 'params[0].tokenAddress is missing.');
}

/** The operation is paid in the token that the client names in this field; without a token it is sponsored. */
function modeOf(token: string | null, field: string): RequestedMode {
  const mode = parseContext(token === null ? {} : { token }, 'params[0]');
  return mode.mode === 'ERC20' ? { ...mode, field, tokens: { ...mode.tokens, field } } : mode;
}

function requestOf(
  { chainId, entryPointAddress, userOp }: RawRequest,
  { caller, mode, overridesFees }: { caller: Caller; mode: RequestedMode; overridesFees: boolean },
): NestedRequest {
  assertKeysChain(chainId, { caller, field: 'params[0].chainId' });
  const entryPoint = { address: entryPointAddress, field: 'params[0].entryPointAddress' };
  const fieldNames = fieldsIn('userOp');
  const sent = readAsSent(fieldNames, () => operationFor(userOp, { caller, entryPoint }));
  const operation = overridesFees || sent.maxFeePerGas === 0n ? { ...sent, ...suggestedFees(caller) } : sent;
  const request = operationRequest({
    ...{ caller, operation, mode, calculateGasLimits: true },
    expiry: { seconds: undefined, field: 'params[0].userOp' },
    refuseExpiredQuote: false,
  });
  return { ...request, fieldNames };
}
