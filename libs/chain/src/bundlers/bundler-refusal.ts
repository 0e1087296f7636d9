import { BundlerRefusedError, DependencyUnavailableError } from '@paymaster/domain';
import { JsonRpcResponseError } from '../json-rpc/json-rpc-errors';

const MAX_MESSAGE_LENGTH = 500;
/** Bundlers repeat the address of their node, which may hold a key. */
const URLS = /\b(?:https?|wss?):\/\/\S+/gi;
const AA_CODE = /\bAA(\d)\d\b/;
const INVALID_FIELDS = -32602;
const REJECTED_BY_PAYMASTER = -32501;
const REJECTED_BY_ENTRY_POINT = -32500;
const EXECUTION_REVERTED = -32521;
/** Codes of ERC-7769, which clients know. */
const isKnown = (code: number) => code === INVALID_FIELDS || code === EXECUTION_REVERTED || isRejection(code);
const isRejection = (code: number) => code <= -32500 && code >= -32508;
/** rundler says with -32000 that fees are too low; no client knows that code. */
const FEE_TOO_LOW = /must be at least|underpriced|fee too low|precheck failed/i;
/** alto answers -32601 for an operation whose form it does not accept. */
const FORM_REFUSED = /validation error|invalid|unrecognized|required/i;

/** What a bundler says to an operation that it has already. */
const ALREADY_KNOWN = /already known/i;

/** Whether the bundler has exactly this operation. Others than alto and rundler say the same of replaced ones. */
export function isAlreadyKnown(error: unknown): boolean {
  return error instanceof JsonRpcResponseError && ALREADY_KNOWN.test(error.rpcMessage);
}

/** What is said of an operation that has landed: its nonce is used, or the account that it creates is there already. */
const OF_LANDED: readonly unknown[] = ['AA25', 'AA10'];

/** Whether the operation may be refused because it has landed. */
export function mayHaveLanded({ details }: BundlerRefusedError): boolean {
  return OF_LANDED.includes(details['aaCode']);
}

/**
 * A bundler's answer that the operation is at fault, with a code of ERC-7769. Codes that clients retry are avoided: they
 * would send the same operation four times.
 *
 * @returns undefined when the bundler itself is at fault, or gave no usable answer
 */
export function bundlerRefusal(error: unknown): BundlerRefusedError | undefined {
  if (!(error instanceof JsonRpcResponseError)) return undefined;
  const code = codeOf(error);
  if (code === undefined) return undefined;
  const message = error.rpcMessage.replace(URLS, '[address]').slice(0, MAX_MESSAGE_LENGTH);
  const aaCode = AA_CODE.exec(error.rpcMessage)?.[0];
  return new BundlerRefusedError(code, message, { ...(aaCode && { aaCode }) });
}

function codeOf({ code, rpcMessage }: JsonRpcResponseError): number | undefined {
  if (isKnown(code)) return code;
  // skandha says so of a form that it does not accept.
  if (code === -32_600) return INVALID_FIELDS;
  const [, digit] = AA_CODE.exec(rpcMessage) ?? [];
  if (digit !== undefined) return digit === '3' ? REJECTED_BY_PAYMASTER : REJECTED_BY_ENTRY_POINT;
  if (code === -32_000 && FEE_TOO_LOW.test(rpcMessage)) return INVALID_FIELDS;
  if (code === -32_601 && FORM_REFUSED.test(rpcMessage)) return INVALID_FIELDS;
  return undefined;
}

/** No bundler gave a usable answer: of an operation that was sent nobody knows whether it was taken. */
export function bundlersDown(cause: unknown): DependencyUnavailableError {
  const sentence = 'No bundler of this chain answers at the moment. Sending the same operation again does no harm.';
  return new DependencyUnavailableError('bundler', sentence, { cause });
}
