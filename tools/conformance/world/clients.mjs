const ANSWER_WITHIN_MS = 30_000;
/** How often, and for how long at most, the kit waits when it is told that it asks too fast. */
const PATIENCE = 6;
const LONGEST_WAIT_MS = 5_000;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The paymaster under test, as any client of another company sees it: a URL, and perhaps headers. */
export class PaymasterClient {
  #url;
  #headers;
  #id = 0;
  /** HTTP status and code of every answer, for what is said of all of them. */
  answers = [];

  constructor(url, headers = {}) {
    this.#url = url;
    this.#headers = headers;
  }

  /** What must never be printed: the address as a whole, and what looks like a key in it and in the headers. */
  get secrets() {
    const { pathname, search, username, password, href } = new URL(this.#url);
    const values = Object.values(this.#headers);
    const parts = [...pathname.split('/'), ...search.split(/[?&=]/), username, password, ...values.flatMap(words)];
    return [href, this.#url, ...values, ...parts.filter(isKeyLike), ...parts.map(decoded).filter(isKeyLike)];
  }

  /** The same service with its key changed in one place; undefined when there is nothing that looks like a key. */
  withWrongKey() {
    const headers = { ...this.#headers };
    const header = Object.keys(headers).find((name) => /key|auth/i.test(name));
    if (header) return new PaymasterClient(this.#url, { ...headers, [header]: changed(headers[header]) });
    const url = new URL(this.#url);
    const key = [...url.pathname.split('/'), ...url.searchParams.values()].filter((part) => part.length >= 16).at(-1);
    if (!key) return undefined;
    return new PaymasterClient(this.#url.replace(key, changed(key)), headers);
  }

  /** One well-formed call; waits and asks again when it is told to. */
  async call(method, params, { id = ++this.#id, headers } = {}) {
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
    for (let waits = 0; ; waits++) {
      const answer = await this.post(body, { headers });
      if (!answer.limited || waits === PATIENCE) return answer;
      await pause(Math.min(LONGEST_WAIT_MS, 1_000 * (Number(answer.headers.get('retry-after')) || 1)));
    }
  }

  /** Any request, read to the end: a JSON-RPC `result` or `error`, or `other`. Never throws. */
  async post(body, { method = 'POST', headers, timeoutMs = ANSWER_WITHIN_MS } = {}) {
    const answer = await this.#send({ method, body, headers, timeoutMs });
    this.answers.push({ http: answer.http, code: answer.error?.code, message: answer.error?.message });
    return answer;
  }

  async #send({ method, body, headers, timeoutMs }) {
    const started = performance.now();
    try {
      const response = await fetch(this.#url, {
        method,
        body,
        headers: { 'content-type': 'application/json', connection: 'close', ...this.#headers, ...headers },
        signal: AbortSignal.timeout(timeoutMs),
        redirect: 'manual',
      });
      const text = await response.text();
      const ms = performance.now() - started;
      return { http: response.status, headers: response.headers, text, ms, ...read(text), ...limited(response, text) };
    } catch (error) {
      const timedOut = error.name === 'TimeoutError';
      const problem = timedOut
        ? `no answer within ${timeoutMs / 1_000} s`
        : 'the connection was closed without an answer';
      return { kind: 'other', timedOut, problem, ms: performance.now() - started, headers: new Headers(), text: '' };
    }
  }
}

const words = (text) => text.split(' ');

/** No chain id, and no word of a path such as `paymaster`. */
const isKeyLike = (part) => part.length >= 20 || (part.length >= 8 && /\d/.test(part) && /\D/.test(part));

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function changed(key) {
  const last = key.at(-1);
  return `${key.slice(0, -1)}${last === '0' ? '1' : '0'}`;
}

function read(text) {
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    return { kind: 'other' };
  }
  if (Array.isArray(body)) return { kind: 'batch', body };
  if (body === null || typeof body !== 'object') return { kind: 'other', body };
  const { error, result } = body;
  if (error && typeof error.code === 'number') return { kind: 'error', body, error };
  if (error === undefined || error === null)
    return result === undefined ? { kind: 'other', body } : { kind: 'result', body, result };
  return { kind: 'other', body };
}

const limited = ({ status }, text) => ({ limited: status === 429 || /"code"\s*:\s*-32005\b/.test(text) });

/** A node or a bundler. */
export class Rpc {
  #url;

  constructor(url) {
    this.#url = url;
  }

  get secrets() {
    return new PaymasterClient(this.#url).secrets;
  }

  /** @throws {RpcFailure} on an error, with the data of a revert */
  async call(method, params = []) {
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    const { error, result } = await response.json();
    if (error) throw new RpcFailure(method, error);
    return result;
  }
}

export class RpcFailure extends Error {
  constructor(method, { message, data }) {
    super(`${method}: ${message}`);
    this.data = typeof data === 'string' ? data : data?.data;
  }
}
