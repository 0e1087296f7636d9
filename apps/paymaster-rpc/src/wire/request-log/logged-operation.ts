import type { UserOperation } from '@paymaster/domain';
import { MAX_LOGGED_OPERATION_LENGTH } from '@paymaster/messaging';

const BYTES = /^0x[0-9a-f]*$/i;
const DIGITS = /^[0-9]{1,100}$/;
const ADDRESS = /^0x[0-9a-f]{40}$/i;

/** What an explanation needs: no signature, and no paymaster data, which hold one. */
const FIELDS = [
  ...['sender', 'nonce', 'initCode', 'factory', 'factoryData', 'callData'],
  ...['callGasLimit', 'verificationGasLimit', 'preVerificationGas', 'maxFeePerGas', 'maxPriorityFeePerGas'],
] as const;
const FEES = ['maxFeePerGas', 'maxPriorityFeePerGas'] as const;
const OF_AUTHORIZATION = ['address', 'chainId', 'nonce'] as const;
/** In place of the signature of an authorization. */
const UNSIGNED = { r: '0x1', s: '0x1', yParity: '0x0' };

/** What the request log keeps of the operation in a request. */
export interface LoggedOperation {
  readonly userOperation: Readonly<Record<string, unknown>> | null;
  readonly sender: string | null;
  /** The EntryPoint that the client named. */
  readonly entryPoint: string | null;
}

/**
 * Reads an operation from params of any dialect, also from params that are refused. Only known fields whose values are
 * bytes or quantities are taken, so nothing else that a client sent is kept.
 *
 * @param parsed the operation as its dialect read it: it has the fees that the gateway chose
 */
export function loggedOperation(params: unknown, parsed: Partial<UserOperation> | undefined): LoggedOperation {
  const [first, second] = Array.isArray(params) ? (params as unknown[]) : [];
  const request = recordOf(first);
  const raw = recordOf(request['userOperation'] ?? request['userOp'] ?? first);
  const entryPoint = addressIn(second) ?? addressIn(request['entryPoint'] ?? request['entryPointAddress']);
  const userOperation = inputsOf(raw);
  for (const fee of FEES) {
    const chosen = parsed?.[fee];
    if (userOperation['sender'] !== undefined && userOperation[fee] === undefined && chosen !== undefined) {
      userOperation[fee] = `0x${chosen.toString(16)}`;
    }
  }
  return {
    userOperation: userOperation['callData'] === undefined ? null : userOperation,
    sender: addressIn(userOperation['sender']),
    entryPoint,
  };
}

/** Whether the request log keeps an operation as long as this JSON. */
export const isLoggedAtLength = (length: number): boolean => length <= MAX_LOGGED_OPERATION_LENGTH;

function inputsOf(raw: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const inputs = pick(raw, FIELDS);
  const authorization = pick(recordOf(raw['eip7702Auth'] ?? raw['authorization']), OF_AUTHORIZATION);
  if (Object.keys(authorization).length === OF_AUTHORIZATION.length) {
    inputs['eip7702Auth'] = { ...authorization, ...UNSIGNED };
  }
  return inputs;
}

function pick(raw: Readonly<Record<string, unknown>>, fields: readonly string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const field of fields) {
    const value = raw[field];
    if (Number.isSafeInteger(value) || (typeof value === 'string' && (BYTES.test(value) || DIGITS.test(value)))) {
      picked[field] = value;
    }
  }
  return picked;
}

function addressIn(value: unknown): string | null {
  return typeof value === 'string' && ADDRESS.test(value) ? value.toLowerCase() : null;
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
