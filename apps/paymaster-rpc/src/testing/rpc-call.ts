import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { encodeFunctionData, parseAbi } from 'viem';
import { faker } from '@faker-js/faker';
import type { Address, Hex } from '@paymaster/domain';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import { REASON_GROUPS } from '../platform/errors/reasons';
import { DIALECTS } from '../wire/dialects/index';

/** An answer over HTTP. */
export interface RpcAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The text of the body, for details that JSON.parse would hide. */
  readonly text: string;
  readonly json: {
    readonly jsonrpc: string;
    readonly id: unknown;
    readonly result?: Record<string, unknown>;
    readonly error?: { readonly code: number; readonly message: string; readonly data: Record<string, unknown> };
  };
}

/**
 * POSTs a body unchanged, on a new connection: a kept connection may end while a test compiles contracts. Not with
 * `fetch`, which takes three times as much of the processor.
 */
export async function post(
  url: string,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<RpcAnswer> {
  const sent = request(url, {
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/json', ...headers, connection: 'close' },
  });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  // A server may hang up on a body once it has answered.
  sent.on('error', () => undefined).end(body);
  const [response] = await answered;
  const text = await textOf(response);
  return {
    ...{ status: response.statusCode ?? 0, headers: new Headers(response.headers as Record<string, string>) },
    ...{ text, json: JSON.parse(text) as RpcAnswer['json'] },
  };
}

/** One well-formed JSON-RPC call. @throws {Error} when it is refused for a reason that the method does not document */
export async function call(
  url: string,
  method: string,
  params: readonly unknown[],
  headers?: Record<string, string>,
): Promise<RpcAnswer> {
  const answer = await post(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), headers);
  const reason = answer.json.error?.data['reason'];
  const documented = DOCUMENTED_REASONS.get(method);
  if (typeof reason !== 'string' || !documented || documented.has(reason)) return answer;
  throw new Error(`${method} is refused with ${reason}, which is in none of its document's \`refusals\``);
}

/** The refusals of each method, by rpc.discover. */
const DOCUMENTED_REASONS = new Map(
  DIALECTS.flatMap(({ methods }) => methods).map(({ name, refusals }) => [
    name,
    new Set<string>(refusals.flatMap((group) => REASON_GROUPS[group])),
  ]),
);

/** The mode object that clients send as `params[1]`. */
export const sponsoredMode = (changes: object = {}): object => ({
  mode: 'SPONSORED',
  calculateGasLimits: false,
  sponsorshipInfo: { webhookData: {}, smartAccountInfo: { name: 'INFINITISM', version: '1.0.0' } },
  ...changes,
});

const ACCOUNT_ABI = parseAbi(['function execute(address dest, uint256 value, bytes func)']);

/** `execute(to, 0, data)` of a SimpleAccount. */
export const executeCall = ({ to, data }: { to: Address; data: Hex }): Hex =>
  encodeFunctionData({ abi: ACCOUNT_ABI, functionName: 'execute', args: [to, 0n, data] });

/** A v0.6 operation of a deployed SimpleAccount with all its limits, as it travels. */
export const wireOperationV06 = (callData: Hex, changes: object = {}): Record<string, unknown> => ({
  ...wireOperation(callData),
  initCode: '0x',
  paymasterAndData: '0x',
  ...changes,
});

/** A v0.7 operation of a deployed account with all its limits, as it travels. */
export const wireOperationV07 = (callData: Hex, changes: object = {}): Record<string, unknown> => ({
  ...wireOperation(callData),
  ...changes,
});

function wireOperation(callData: Hex): Record<string, unknown> {
  return {
    sender: randomAddress(),
    nonce: `0x${faker.number.int({ max: 1_000_000 }).toString(16)}`,
    callData,
    callGasLimit: '100000',
    verificationGasLimit: '150000',
    preVerificationGas: '50000',
    maxFeePerGas: '0x77359400',
    maxPriorityFeePerGas: '0x3b9aca00',
    signature: randomHex(65),
  };
}
