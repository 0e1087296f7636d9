import type { Hex } from '@paymaster/domain';
import type { Stack } from '@paymaster/devnet';
import type { ExpectedError } from '../support/expect-rpc-error';
import type { SponsoredResult } from '../support/json-rpc';
import type { SimpleAccount } from '../support/simple-account';
import { AS_SENT } from '../support/sponsor';
import type { WireOperation } from '../support/wire-operation';

/** What the cases are made from: operations that are sponsored as they are. */
export interface Given {
  readonly stack: Stack;
  readonly demo: Hex;
  /** v0.6, deploys its account, all limits there. */
  readonly good: WireOperation;
  /** The same on v0.7. */
  readonly good07: WireOperation;
  /** v0.6, its account deployed and at nonce 1. */
  readonly deployed: WireOperation;
  readonly account: SimpleAccount;
  readonly account07: SimpleAccount;
}

/** An HTTP body, and what differs from a plain JSON post. */
export interface Sent {
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One numbered line of the corpus. With both, an error and a result are each all right, and nothing else is. */
export interface BadInput {
  readonly number: number;
  readonly title: string;
  readonly send: (given: Given) => Sent;
  /** The answer may be this error. */
  readonly error?: ExpectedError;
  /** The answer may be a result: any, or one that passes this check. */
  readonly result?: true | ((result: SponsoredResult, given: Given) => Promise<void> | void);
}

export const FRAME = { jsonrpc: '2.0', id: 1, method: 'pm_sponsorUserOperation' } as const;

/** A body that is this value. */
export const json = (value: unknown): Sent => ({ body: JSON.stringify(value) });

/** A body that is this text. */
export const text = (body: string): Sent => ({ body });

/** The good request with other params. */
export const params = (...values: unknown[]): Sent => json({ ...FRAME, params: values });

/** The good request with members of the v0.6 operation replaced; undefined leaves one out. Nothing is estimated. */
export const operation = (changes: Record<string, unknown>) => (given: Given) =>
  params({ ...given.good, ...changes }, AS_SENT);

/** The good request with other call data. */
export const callData = (make: (given: Given) => string) => (given: Given) =>
  params({ ...given.good, callData: make(given) }, AS_SENT);

/** The good request with another mode object. */
export const mode =
  (value: unknown) =>
  ({ good }: Given) =>
    params(good, value);

/** The good request with one member of the operation written as this JSON text, which JSON.stringify would not write. */
export const literal =
  (member: keyof WireOperation, jsonText: string) =>
  ({ good }: Given): Sent => {
    const marker = '\u0001literal\u0001';
    const body = JSON.stringify({ ...FRAME, params: [{ ...good, [member]: marker }, AS_SENT] });
    return { body: body.replace(JSON.stringify(marker), jsonText) };
  };

/** The codes of "bad operation or not sponsored": for input that several checks may be the first to catch. */
export const REFUSED: ExpectedError = { code: [-32602, -32501, -32500, -32521] };
export const BAD_PARAMS: ExpectedError = { code: -32602 };
export const NOT_SPONSORED: ExpectedError = { code: -32501 };

export const named = (field: string): ExpectedError => ({ code: -32602, message: new RegExp(field) });
