/** A JSON-RPC request as it was sent, and its answer. */
export interface Exchange {
  readonly request: unknown;
  readonly answer: unknown;
}

/** The gateway refused, or did not answer. */
export class GatewayRefusedError extends Error {
  constructor(
    message: string,
    readonly exchange: Exchange,
  ) {
    super(message);
  }
}

interface Answer<T> {
  readonly result?: T;
  readonly error?: { readonly message?: string };
}

/**
 * Asks the gateway as an app does.
 *
 * @throws {GatewayRefusedError} with the sentence of the gateway
 */
export async function askGateway<T>(
  url: string,
  method: string,
  params: readonly unknown[],
): Promise<Exchange & { readonly result: T }> {
  const request = { jsonrpc: '2.0', id: 1, method, params };
  let answer: Answer<T>;
  try {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(request), credentials: 'omit' });
    answer = (await response.json()) as Answer<T>;
  } catch {
    const sentence =
      'The gateway does not answer this page: it is down, or your setting of origins leaves this page out.';
    throw new GatewayRefusedError(sentence, { request, answer: null });
  }
  const { error, result } = answer;
  if (error !== undefined || result === undefined) {
    throw new GatewayRefusedError(error?.message ?? 'The gateway gave no result.', { request, answer });
  }
  return { request, answer, result };
}
