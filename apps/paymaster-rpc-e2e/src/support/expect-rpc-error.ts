import type { RpcAnswer, RpcBody } from './json-rpc';

/** HTTP status of an error code for Biconomy's clients; ERC-7677 answers refusals with 200. */
const BICONOMY_STATUS: Readonly<Record<number, number>> = {
  [-32700]: 400,
  [-32600]: 400,
  [-32601]: 400,
  [-32602]: 400,
  [-32010]: 401,
  [-32501]: 400,
  [-32508]: 400,
  [-32500]: 400,
  [-32521]: 400,
  [-32005]: 429,
  [-32011]: 503,
};

const STATUS_200_IN_ERC7677 = new Set([-32601, -32602, -32501, -32508, -32500, -32521]);

export interface ExpectedError {
  /** The code, or the codes that are all right. */
  readonly code: number | readonly number[];
  readonly dialect?: 'Biconomy' | 'ERC-7677';
  /** What the message has to say: a field's name, a load-bearing phrase. */
  readonly message?: RegExp;
  /** Where the status is not the code's usual one (405, 413, 415). */
  readonly http?: number;
}

/** The answer is one error of the published table: code, HTTP status, a reason word, a request id, no result. */
export function expectRpcError(answer: RpcAnswer, expected: ExpectedError): void {
  const error = expectErrorBody(answer.body, expected);
  expect({ code: error.code, http: answer.status }).toEqual({
    code: error.code,
    http: expected.http ?? statusOf(error.code, expected.dialect ?? 'Biconomy'),
  });
  if (answer.status === 429 || answer.status === 503) {
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  }
}

/** The same for one entry of a batch, which has no HTTP status of its own. */
export function expectErrorBody(body: RpcBody, expected: ExpectedError): NonNullable<RpcBody['error']> {
  if (!body.error) throw new Error(`expected an error, got ${JSON.stringify(body).slice(0, 600)}`);
  const { error } = body;
  const codes = [expected.code].flat();
  if (!codes.includes(error.code)) {
    throw new Error(`expected code ${codes.join(' or ')}, got ${error.code}: ${error.message}`);
  }
  expect(body).toMatchObject({
    jsonrpc: '2.0',
    error: {
      message: expect.stringMatching(expected.message ?? /\S/),
      data: { reason: expect.stringMatching(/^[A-Z][A-Z0-9_]+$/), requestId: expect.stringMatching(/\S/) },
    },
  });
  expect(body).not.toHaveProperty('result');
  return error;
}

function statusOf(code: number, dialect: 'Biconomy' | 'ERC-7677'): number {
  const status = BICONOMY_STATUS[code];
  if (status === undefined) throw new Error(`code ${code} is not in the published table`);
  return dialect === 'ERC-7677' && STATUS_200_IN_ERC7677.has(code) ? 200 : status;
}
