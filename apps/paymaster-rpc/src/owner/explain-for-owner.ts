import { InvalidApiKeyError, InvalidParamsError, type DomainError } from '@paymaster/domain';
import type { AskedFor, GatewayExplanation, GatewayQuestions } from '@paymaster/messaging';
import type { DecodeResult } from '@paymaster/policy';
import { NO_SPAN } from '@paymaster/tracing';
import type { Caller } from '../callers/caller';
import { assertNotSuspended, PaymasterSuspendedError } from '../callers/suspension';
import type { ServedChains } from '../chains/served-chains';
import { presentExplanation } from '../wire/dialects/biconomy/present-explanation';
import { parseContext } from '../wire/dialects/common/parse-mode';
import { operationFor, operationRequest } from '../wire/dialects/common/parse-operation';
import { address } from '../wire/dialects/common/primitives';
import { userOperationSchema } from '../wire/dialects/common/user-operation.schema';
import { compileParams } from '../wire/json-rpc/params-validator';
import type { SponsorRequest } from '../decide/verdict/judge-operation.service';
import type { Operations } from '../wire/operations/operations.service';
import type { PolicySnapshots } from '../snapshots/policy-snapshots.service';
import { callsOf } from '../decide/rules/sponsorship-policy';
import type { RawUserOperation } from '../wire/user-operation/raw-user-operation';

const UNKNOWN = new InvalidApiKeyError('Gateways do not know the paymaster: it is archived, or was made a moment ago.');

const validate = compileParams({
  params: [
    { name: 'userOperation', required: true, schema: userOperationSchema({ fees: 'required' }) },
    { name: 'entryPoint', required: false, schema: address },
  ],
});

export interface ExplainingParts {
  readonly chains: ServedChains;
  readonly snapshots: Pick<PolicySnapshots, 'resolve'>;
  readonly operations: Pick<Operations, 'explain'>;
}

/**
 * The explanation for the paymaster's owner: what `pm_explain` answers with the paymaster's own key, also when the
 * paymaster does not explain to clients. It has the calls that the account makes, by which it was decided.
 *
 * @throws {InvalidParamsError} naming the field
 * @throws {DependencyUnavailableError}
 */
export async function explainForOwner(
  { chains, snapshots, operations }: ExplainingParts,
  { chainId, apiKeyIndex, userOperation, entryPoint }: GatewayQuestions['explain'],
  { requestId, deadlineMs }: AskedFor,
): Promise<GatewayExplanation> {
  const question = { apiKeyIndex, chainIds: [chainId], requestId, deadlineMs };
  const paymaster = await snapshots.resolve(question);
  if (!paymaster) return refusedBy(UNKNOWN);
  const caller: Caller = {
    ...{ requestId, chain: chains.get(chainId), paymaster, session: undefined, isBiconomysAddress: false },
    ...{ clientAddress: undefined, strangerNetwork: undefined, deadlineMs, span: NO_SPAN, policyQuestion: question },
  };
  try {
    assertNotSuspended(paymaster.snapshot);
    const [operation] = validate(entryPoint === undefined ? [userOperation] : [userOperation, entryPoint]);
    const request = requestOf(caller, { operation: operation as RawUserOperation, entryPoint });
    return { ...presentExplanation(await operations.explain(request)), calls: presentCalls(callsOf(request)) };
  } catch (error) {
    if (error instanceof PaymasterSuspendedError) return refusedBy(error);
    throw error instanceof InvalidParamsError ? inWordsOfRest(error) : error;
  }
}

function requestOf(
  caller: Caller,
  { operation: raw, entryPoint }: { operation: RawUserOperation; entryPoint: string | undefined },
): SponsorRequest {
  const mode = parseContext(undefined, 'context');
  const named = entryPoint === undefined ? undefined : { address: entryPoint, field: 'params[1]' };
  return operationRequest({
    ...{ caller, mode, calculateGasLimits: !hasLimits(raw), refuseExpiredQuote: false },
    operation: operationFor(raw, { caller, entryPoint: named }),
    expiry: { seconds: mode.expirySeconds, field: 'context' },
  }) as SponsorRequest;
}

/** Limits that were sent are explained as they are; missing limits are calculated. */
function hasLimits({ callGasLimit, verificationGasLimit, preVerificationGas }: RawUserOperation): boolean {
  return [callGasLimit, verificationGasLimit, preVerificationGas].every((limit) => limit !== undefined);
}

/** An explanation in which nothing of the operation was looked at. */
function refusedBy({ reason, message }: DomainError): GatewayExplanation {
  return { ...{ sponsored: false, reason, message, policyId: null }, ...NOTHING_KNOWN };
}

const NOTHING_KNOWN = { maxCostWei: null, gasLimits: null, budgets: [], trace: [], calls: null };

/** The decoder bounds the calls: all of them together are no longer than the call data that was sent. */
function presentCalls(decoded: DecodeResult): GatewayExplanation['calls'] {
  if (!decoded.understood) return null;
  return decoded.calls.map(({ to, valueWei, data, selector }) => ({
    ...{ to, valueWei: valueWei.toString(), selector: selector ?? null, data },
  }));
}

function inWordsOfRest({ field, message, reason }: InvalidParamsError): InvalidParamsError {
  const named = (text: string): string =>
    text.replaceAll('params[0]', 'userOperation').replaceAll('params[1]', 'entryPoint');
  return new InvalidParamsError(named(field), named(message), reason);
}
