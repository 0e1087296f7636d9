import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One misbehaviour of a foreign server, or `ok`. */
export type FakeRpcMode =
  | 'ok'
  | 'hang'
  | 'trickle'
  | 'cutOff'
  | 'reset'
  | 'http500'
  | 'http429'
  | 'invalidJson'
  | 'wrongShape'
  | 'wrongId'
  | 'hugeBody';

export type FakeRpcMethod = (params: readonly unknown[]) => unknown;

/** Closes the connection in the middle of an answer. */
export function cutOff(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"jsonrpc":"2.0","id":1,', () => response.destroy());
}

/** A JSON-RPC error that a {@link FakeRpcMethod} throws to answer with it. */
export class FakeRpcError extends Error {
  constructor(
    readonly code: number | undefined,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

/**
 * A JSON-RPC server over HTTP that a test controls: it answers from its methods, or misbehaves. It stands in for RPC
 * providers and bundlers.
 */
export class FakeRpcServer {
  mode: FakeRpcMode = 'ok';
  /** HTTP status of error answers; alto sends 200, some bundlers 400. */
  errorStatus = 200;
  /** Every call received, in order. */
  readonly calls: Array<{ method: string; params: readonly unknown[] }> = [];
  readonly methods: Record<string, FakeRpcMethod>;
  private readonly server: Server;

  private constructor(methods: Record<string, FakeRpcMethod>) {
    this.methods = { ...methods };
    this.server = createServer((request, response) => void this.serve(request, response));
  }

  /** Starts a server on a free port of the loopback interface. */
  static async start(methods: Record<string, FakeRpcMethod> = {}): Promise<FakeRpcServer> {
    const fake = new FakeRpcServer(methods);
    await new Promise<void>((resolve) => fake.server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/secret-key`;
  }

  callsOf(method: string): number {
    return this.calls.filter((call) => call.method === method).length;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as {
      id: number;
      method: string;
      params: unknown[];
    };
    this.calls.push({ method, params });
    switch (this.mode) {
      case 'hang':
        return;
      case 'trickle':
        response.writeHead(200).write('{"jsonrpc":');
        return;
      case 'cutOff':
        return cutOff(response);
      case 'reset':
        request.socket.destroy();
        return;
      case 'http500':
        return answer(response, 500, 'Internal Server Error');
      case 'http429':
        return answer(response, 429, '{"message":"slow down"}');
      case 'invalidJson':
        return answer(response, 200, '<html>It works</html>');
      case 'wrongShape':
        return answer(response, 200, '[1,2,3]');
      case 'wrongId':
        return answer(response, 200, JSON.stringify({ jsonrpc: '2.0', id: id + 1, result: '0x1' }));
      case 'hugeBody':
        return answer(response, 200, JSON.stringify({ jsonrpc: '2.0', id, result: `0x${'00'.repeat(2_000_000)}` }));
      case 'ok':
        return this.answerFromMethods(response, { id, method, params });
    }
  }

  private async answerFromMethods(
    response: ServerResponse,
    call: { id: number; method: string; params: unknown[] },
  ): Promise<void> {
    const frame = { jsonrpc: '2.0', id: call.id };
    try {
      const known = this.methods[call.method];
      if (!known) throw new FakeRpcError(-32601, `the method ${call.method} does not exist`);
      answer(response, 200, JSON.stringify({ ...frame, result: await known(call.params) }));
    } catch (error) {
      const { code, message, data } = error as FakeRpcError;
      const status = code === undefined ? 500 : this.errorStatus;
      answer(response, status, JSON.stringify({ ...frame, error: { code, message, data } }));
    }
  }
}

function answer(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}
