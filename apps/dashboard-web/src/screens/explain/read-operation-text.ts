import { isAddress } from 'viem';
import type { Schemas } from '../../api/queries';

type Question = Schemas['ExplainDto'];
type Read = { readonly question: Question } | { readonly problem: string };
type Fields = Readonly<Record<string, unknown>>;

/** Without these the gateway can say nothing. It checks their forms, and names what is wrong. */
const REQUIRED = ['sender', 'nonce', 'callData', 'maxFeePerGas', 'maxPriorityFeePerGas'] as const;

/**
 * The operation in a text: its JSON, a whole JSON-RPC request with it, or what `POST /explain` takes. The EntryPoint is
 * that of the request, where it names one.
 *
 * @returns what to ask, or what is wrong with the text
 */
export function readOperationText(text: string): Read {
  const read = parse(text);
  if ('problem' in read) return read;
  const { json } = read;
  if (Array.isArray(json)) return { problem: 'This is a list. Paste one operation, or one request.' };
  if (!isObject(json)) return { problem: 'This is no JSON object. An operation begins with { and ends with }.' };
  if ('userOperation' in json) return questionOf('userOperation', json['userOperation'], json['entryPoint']);
  if ('jsonrpc' in json || 'params' in json) return ofRequest(json['params']);
  return questionOf('', json, undefined);
}

/** Gateways and bundlers take the operation first, and its EntryPoint second. */
function ofRequest(params: unknown): Read {
  if (!Array.isArray(params)) return { problem: 'params must be a list: the operation, then the EntryPoint.' };
  const [operation, second] = params as unknown[];
  return questionOf('params[0]', operation, typeof second === 'string' ? second : undefined);
}

function questionOf(place: string, operation: unknown, entryPoint: unknown): Read {
  if (!isObject(operation)) return { problem: `${place} must be the operation: an object with its fields.` };
  const missing = REQUIRED.filter((name) => operation[name] === undefined || operation[name] === null);
  if (missing.length > 0) {
    return { problem: `${missing.map((name) => (place ? `${place}.${name}` : name)).join(', ')}: missing.` };
  }
  if (entryPoint !== undefined && !(typeof entryPoint === 'string' && isAddress(entryPoint, { strict: false }))) {
    return {
      problem: `${place === 'params[0]' ? 'params[1]' : 'entryPoint'} must be an address: 0x and 40 hex digits.`,
    };
  }
  const userOperation = operation as unknown as Question['userOperation'];
  return { question: { userOperation, ...(entryPoint !== undefined && { entryPoint }) } };
}

function parse(text: string): { readonly json: unknown } | { readonly problem: string } {
  try {
    return { json: JSON.parse(text) as unknown };
  } catch (error) {
    return { problem: `This is no JSON: ${(error as Error).message}` };
  }
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text that names an operation which was asked for before; undefined where it names none. */
export function readReference(text: string): { readonly hash: string } | { readonly id: string } | undefined {
  const plain = text.trim().toLowerCase();
  if (/^0x[0-9a-f]{64}$/.test(plain)) return { hash: plain };
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(plain) ? { id: plain } : undefined;
}
