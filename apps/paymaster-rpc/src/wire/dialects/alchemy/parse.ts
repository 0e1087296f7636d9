import { InvalidParamsError, type UserOperation } from '@paymaster/domain';
import type { Caller } from '../../../callers/caller';
import { changed, type LimitChange, type LimitChanges } from '../../../decide/rules/limit-changes';
import { parseQuantity, type RawQuantity } from '../../user-operation/quantity';
import type { RawUserOperation } from '../../user-operation/raw-user-operation';
import type { RawErc20Context } from '../common/erc20-context';
import { namedPolicies, type NamesPolicies } from '../common/named-policies';
import { fieldsIn, readAsSent, type FieldNames, type NestedRequest } from '../common/nested-operation';
import { parseContext } from '../common/parse-mode';
import { operationFor, operationRequest } from '../common/parse-operation';
import { suggestedFees } from '../common/suggested-fees';

type RawOverride = RawQuantity | { readonly multiplier: number };

const LIMITS = ['callGasLimit', 'verificationGasLimit', 'preVerificationGas'] as const;
const FEES = ['maxFeePerGas', 'maxPriorityFeePerGas'] as const;
const MILLIONTHS = 1_000_000;

interface RawRequest extends Pick<NamesPolicies, 'policyId' | 'policyIds'> {
  readonly entryPoint: string;
  readonly userOperation: RawUserOperation;
  readonly dummySignature?: string;
  readonly overrides?: Readonly<Partial<Record<(typeof LIMITS)[number] | (typeof FEES)[number], RawOverride>>> | null;
  readonly webhookData?: string | null;
  readonly erc20Context?: RawErc20Context | null;
}

/**
 * Reads a request. The gateway chooses fees and limits, except those that the client overrides. Fees and limits that
 * the client sends in the operation count as overrides too, because Alchemy's own clients mean that.
 *
 * @throws {InvalidParamsError} naming the field
 */
export function parseAlchemyRequest(params: readonly unknown[], caller: Caller): NestedRequest {
  const [raw] = params as [RawRequest];
  const { entryPoint, overrides, webhookData, erc20Context } = raw;
  const mode = parseContext({ erc20Context }, 'params[0]');
  const policyIds = namedPolicies(raw, { caller, field: 'params[0]', besideToken: false });
  const { maxFeePerGas: _fee, maxPriorityFeePerGas: _tip, ...withoutFees } = raw.userOperation;
  const named = { address: entryPoint, field: 'params[0].entryPoint' };
  const overridden = Object.keys(overrides ?? {}).map((name) => [name, 'overrides'] as const);
  const fieldNames = fieldsIn('userOperation', new Map(overridden));
  const sent = readAsSent(fieldNames, () =>
    operationFor({ ...withoutFees, signature: signatureOf(raw) }, { caller, entryPoint: named }),
  );
  const fees = feesOf({ ...pick(raw.userOperation, FEES), ...overrides }, { caller, fieldNames });
  const limitChanges = changesOf({ ...pick(raw.userOperation, LIMITS), ...overrides });
  const request = {
    ...operationRequest({
      ...{ caller, operation: { ...sent, ...fees }, mode, calculateGasLimits: true },
      expiry: { seconds: undefined, field: 'params[0].userOperation' },
      refuseExpiredQuote: false,
    }),
    fieldNames,
  };
  if (request.mode === 'token') return { ...request, limitChanges };
  const data = webhookData ? { value: { webhookData }, field: 'params[0].webhookData' } : undefined;
  return { ...request, policyIds, limitChanges, webhookData: data };
}

/** The operation's signature if the account has signed already, else the dummy signature. */
function signatureOf({ userOperation, dummySignature }: RawRequest): string {
  const { signature } = userOperation;
  return signature && signature !== '0x' ? signature : (dummySignature ?? '0x');
}

/** The gateway chooses each fee that is not overridden, and never above the maximum fee that the client sets. */
function feesOf(
  overrides: Readonly<Partial<Record<(typeof FEES)[number], RawOverride>>>,
  { caller, fieldNames }: { caller: Caller; fieldNames: FieldNames },
): Pick<UserOperation, 'maxFeePerGas' | 'maxPriorityFeePerGas'> {
  const ours = suggestedFees(caller);
  const maxFeePerGas = changed(ours.maxFeePerGas, changeOf(overrides.maxFeePerGas, 'maxFeePerGas'));
  const tipChange = changeOf(overrides.maxPriorityFeePerGas, 'maxPriorityFeePerGas');
  const tip = changed(ours.maxPriorityFeePerGas, tipChange);
  if (tip <= maxFeePerGas) return { maxFeePerGas, maxPriorityFeePerGas: tip };
  // Equal fees may be refused, and the client has named only one of them.
  if (!tipChange) return { maxFeePerGas, maxPriorityFeePerGas: maxFeePerGas > 0n ? maxFeePerGas - 1n : 0n };
  const field = fieldNames('params[0].maxPriorityFeePerGas');
  throw new InvalidParamsError(field, `${field} is higher than maxFeePerGas.`);
}

function changesOf(overrides: Readonly<Partial<Record<(typeof LIMITS)[number], RawOverride>>>): LimitChanges {
  return {
    callGasLimit: changeOf(overrides.callGasLimit, 'callGasLimit'),
    verificationGasLimit: changeOf(overrides.verificationGasLimit, 'verificationGasLimit'),
    preVerificationGas: changeOf(overrides.preVerificationGas, 'preVerificationGas'),
  };
}

/** Zero and absent mean "not given", as everywhere. */
function changeOf(value: RawOverride, name: string): LimitChange | undefined {
  if (typeof value === 'object') return { millionths: BigInt(Math.ceil(value.multiplier * MILLIONTHS)) };
  const exact = parseQuantity(value, { field: `params[0].overrides.${name}`, bits: 128 });
  return exact > 0n ? { exact } : undefined;
}

/** Those of the named members to which the client gave a value. */
function pick<Name extends string>(
  operation: RawUserOperation,
  names: readonly Name[],
): Partial<Record<Name, RawQuantity>> {
  const given = names.flatMap((name) => {
    const value = operation[name] as RawQuantity;
    return value === undefined || parseQuantity(value, { field: `params[0].userOperation.${name}`, bits: 128 }) === 0n
      ? []
      : [[name, value] as const];
  });
  return Object.fromEntries(given) as Partial<Record<Name, RawQuantity>>;
}
