import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectionPool, httpPost } from '../json-rpc/http-post';
import { cutOff, FakeRpcError } from './fake-rpc-server';

/** What a provider does to the connection instead of answering. */
export type Misconduct = 'hang' | 'reset' | 'cutOff' | 'http429' | 'http500' | 'invalidJson' | 'wrongId' | 'hugeBody';

/** A lie that is not a JSON-RPC answer. */
export class Misbehaviour {
  constructor(readonly kind: Misconduct) {}
}

/** A call on its way through the proxy. */
export interface ProxiedCall {
  readonly method: string;
  readonly params: readonly unknown[];
  /** The target's answer to the given params; throws {@link FakeRpcError} if the target answers an error. */
  truth(params?: readonly unknown[]): Promise<unknown>;
  /** Asks the target something else. */
  ask(method: string, params: readonly unknown[]): Promise<unknown>;
}

/** Gives the `result` to answer with, or a {@link Misbehaviour}; throws {@link FakeRpcError} to answer an error. */
export type Mutator = (call: ProxiedCall) => unknown;

/** Mutators by method; `*` is for every method without its own. */
export type Mutators = Readonly<Record<string, Mutator>>;

/** A JSON-RPC provider that answers for its target, with the lies that a test sets. Without mutators it is honest. */
export interface LyingProxy {
  readonly url: string;
  /** Calls that came, by method. */
  readonly calls: ReadonlyMap<string, number>;
  /** From now on lies only in this way. */
  lie(mutators: Mutators): void;
  beHonest(): void;
  stop(): Promise<void>;
}

interface Frame {
  readonly id: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
}

/**
 * Starts a proxy on a free port of the loopback interface.
 *
 * @param target URL of an honest node
 * @param mutators the lies; `lies.ts` has ready ones, which can be combined with the spread operator
 */
export async function lyingProxy(target: string, mutators: Mutators = {}): Promise<LyingProxy> {
  let current = mutators;
  const calls = new Map<string, number>();
  const node = askerOf(target);
  const server = createServer((request, response) => {
    serve(request, response).catch(() => request.socket.destroy());
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Frame | Frame[];
    const answers = await Promise.all([body].flat().map(answer));
    const misconduct = answers.find((one) => one instanceof Misbehaviour);
    if (misconduct) return misbehave(misconduct.kind, { request, response });
    reply(response, 200, JSON.stringify(Array.isArray(body) ? answers : answers[0]));
  }

  async function answer({ id, method, params = [] }: Frame): Promise<unknown> {
    calls.set(method, (calls.get(method) ?? 0) + 1);
    const { ask } = node;
    const call: ProxiedCall = { method, params, ask, truth: (others = params) => ask(method, others) };
    const mutator = current[method] ?? current['*'];
    try {
      const result = await (mutator ? mutator(call) : call.truth());
      return result instanceof Misbehaviour ? result : { jsonrpc: '2.0', id, result };
    } catch (error) {
      if (!(error instanceof FakeRpcError)) throw error;
      return { jsonrpc: '2.0', id, error: { code: error.code, message: error.message, data: error.data } };
    }
  }

  await listen(server);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    lie: (others) => void (current = others),
    beHonest: () => void (current = {}),
    stop: () => {
      server.closeAllConnections();
      node.close();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** A client of a node, on connections of its own. */
function askerOf(target: string) {
  const url = new URL(target);
  const pool = connectionPool(url);
  const bounds = { timeoutMs: 300_000, maxAnswerBytes: 2 ** 28 };
  return {
    async ask(method: string, params: readonly unknown[]): Promise<unknown> {
      const sent = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const { body } = await httpPost({ url, pool, body: sent, ...bounds });
      const { result, error } = JSON.parse(body) as {
        result?: unknown;
        error?: { code: number; message: string; data?: unknown };
      };
      if (error) throw new FakeRpcError(error.code, error.message, error.data);
      return result;
    },
    close: () => pool.destroy(),
  };
}

function misbehave(kind: Misconduct, { request, response }: { request: IncomingMessage; response: ServerResponse }) {
  switch (kind) {
    case 'hang':
      return;
    case 'reset':
      return void request.socket.destroy();
    case 'cutOff':
      return cutOff(response);
    case 'http429':
      return reply(response, 429, '{"message":"slow down"}');
    case 'http500':
      return reply(response, 500, 'Internal Server Error');
    case 'wrongId':
      return reply(response, 200, '{"jsonrpc":"2.0","id":"another","result":"0x1"}');
    case 'invalidJson':
      return reply(response, 200, '<html>It works</html>');
    case 'hugeBody':
      return endlessly(response);
  }
}

/** A body that ends when its reader goes away. */
function endlessly(response: ServerResponse): void {
  const zeros = '00'.repeat(500_000);
  const more = (): void => {
    if (response.destroyed) return;
    if (response.write(zeros)) setImmediate(more);
    else response.once('drain', more);
  };
  response.on('error', () => undefined).writeHead(200, { 'content-type': 'application/json' });
  response.write('{"jsonrpc":"2.0","id":1,"result":"0x');
  more();
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
}

function reply(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}
